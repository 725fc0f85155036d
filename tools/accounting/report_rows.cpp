#include "tools/accounting/report_rows.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text/enum_names.h"
#include "base/values/civil_date.h"
#include "domain/aggregates/charge.h"
#include "domain/decisions/decision.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/log_scan.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::RecordedEvent;
using eventstore::Log;

void add_charge(ReportSums& sums, const Charge& charge) {
  ++sums.count;
  sums.amount = sums.amount + charge.amount;
  if (!charge.payment) return;
  sums.paid = sums.paid + charge.payment->amount;
  sums.fees = sums.fees + charge.payment->fee.value_or(domain::Cents(0));
}

class Reporter {
 public:
  Reporter(const Log& log, const Period& period, Position as_of)
      : log_(log), period_(period), as_of_(as_of) {}

  // Call with each event of the selected charges, in order; a day's events are recorded by the end of it.
  void add(const RecordedEvent& event, ReportBy by) {
    if (const auto* unapplied = fact_of<domain::PaymentLeftUnapplied>(event))
      add_unapplied(event, *unapplied);
    switch (by) {
      case ReportBy::kCreated:
        if (fact_of<domain::ChargeCreated>(event)) add_by_creation(event);
        return;
      case ReportBy::kPaid:
        if (fact_of<domain::ChargePaid>(event) || fact_of<domain::UnappliedPaymentAccepted>(event))
          add_by_payment(event);
        return;
      case ReportBy::kRefunded:
        if (may_be_refund(event)) add_by_refunds(event);
        return;
    }
  }

  void add(const domain::UnmatchedPayment& payment) {
    if (domain::is_open(payment) && period_.contains(payment.paid_at))
      add_aside(payment.paid_at, payment.environment, payment.connection, Report::Aside::kUnmatched,
                payment.amount);
  }

  Report take() { return std::move(report_); }

 private:
  static Report::Part part_of(const Charge& charge) {
    return {{charge.environment, charge.status}, charge.connection};
  }
  ReportSums& row(Timestamp moment, const Charge& charge) {
    return report_.rows[{period_.zone().day_of(moment), part_of(charge)}];
  }

  void add_aside(Timestamp paid_at, domain::Environment environment, const domain::ConnectionId& connection,
                 Report::Aside aside, domain::Cents amount) {
    auto& sums = report_.aside[{period_.zone().day_of(paid_at), environment, connection, aside}];
    ++sums.count;
    sums.amount = sums.amount + amount;
  }
  void add_unapplied(const RecordedEvent& event, const domain::PaymentLeftUnapplied& payment) {
    if (!period_.contains(payment.paid_at)) return;
    const auto charge = charge_of(log_, event, as_of_);
    for (const auto& open : charge.unapplied)
      if (open.end_to_end_id == payment.end_to_end_id)
        add_aside(open.paid_at, charge.environment, charge.connection, Report::Aside::kUnapplied,
                  open.amount);
  }

  void add_whole(Timestamp moment, const Charge& charge) {
    for (auto* sums : {&row(moment, charge), &report_.totals[part_of(charge)]}) {
      add_charge(*sums, charge);
      sums->refunded = sums->refunded + charge.refunded;
    }
  }

  void add_by_creation(const RecordedEvent& event) {
    if (period_.contains(event.recorded_at)) add_whole(event.recorded_at, charge_of(log_, event, as_of_));
  }

  // Counts everything on the day of the first payment, with additional payments, as in a table of charges.
  void add_by_payment(const RecordedEvent& event) {
    const auto charge = charge_of(log_, event, as_of_);
    if (charge.payment && period_.contains(charge.payment->paid_at))
      add_whole(charge.payment->paid_at, charge);
  }

  // Counts all of a charge's refunds in the period at the first one, so that days and totals count the charge
  // once.
  void add_by_refunds(const RecordedEvent& event) {
    if (!period_.contains(event.recorded_at)) return;
    const auto charge = charge_of(log_, event, as_of_);
    auto& totals = report_.totals[part_of(charge)];
    std::optional<std::int64_t> day_before;
    for (const auto& stored : eventstore::StreamEvents(log_, event.stream, 0, as_of_)) {
      const auto other = eventstore::decode(stored);
      if (!may_be_refund(other)) continue;
      const auto refund = domain::refund_done_by(std::get<domain::ChargeEvent>(other.event), charge);
      if (!refund || !period_.contains(other.recorded_at)) continue;
      if (!day_before && other.position < event.position) return;  // counted already
      if (!day_before) add_charge(totals, charge);
      auto& sums = row(other.recorded_at, charge);
      const auto day = period_.zone().day_of(other.recorded_at);
      if (day_before != day) add_charge(sums, charge);
      day_before = day;
      for (auto* each : {&sums, &totals}) each->refunded = each->refunded + refund->amount;
    }
  }

  const Log& log_;
  const Period& period_;
  const Position as_of_;
  Report report_;
};

}  // namespace

std::optional<ReportBy> parse_report_by(std::string_view name) {
  return EnumNames<ReportBy::kCreated, ReportBy::kRefunded>("created", "paid", "refunded").parse(name);
}

std::string_view to_string(Report::Aside aside) {
  return aside == Report::Aside::kUnapplied ? "unapplied" : "unmatched";
}

Report make_report(const Log& log, const std::optional<domain::ProjectId>& project, const Period& period,
                   Position as_of, ReportBy by) {
  Reporter reporter(log, period, as_of);
  // A payment may be reported any time after it was made, and slightly ahead of the ledger's clock.
  const auto after = period.begin(log, domain::kPaymentAheadMsMax);
  eventstore::for_each_event(log, after, as_of, [&](const RecordedEvent& event) {
    if (!project || event.project == *project) reporter.add(event, by);
  });
  for (const auto& payment : unmatched_payments_of(log, project, as_of)) reporter.add(payment);
  return reporter.take();
}

namespace {

using domain::Cents;

class Accountant {
 public:
  Accountant(const Log& log, const Month& month, const TimeZone& zone, Position as_of)
      : log_(log), first_day_(month.first_day()), last_day_(month.last_day()), zone_(zone), as_of_(as_of) {}

  void add(const RecordedEvent& event) {
    if (std::holds_alternative<domain::ChargeEvent>(event.event)) add_of_charge(event);
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
      add_of_payment(event, *of_payment);
  }

  MoneyStatement take() { return std::move(statement_); }

 private:
  using Account = MoneyStatement::Account;

  void add_of_charge(const RecordedEvent& event) {
    MoneyMoved moved;
    if (const auto* paid = fact_of<domain::ChargePaid>(event)) {
      moved.in = paid->amount;
      moved.fees = paid->fee.value_or(Cents());
      move(event, paid->paid_at, moved);
    } else if (const auto* unapplied = fact_of<domain::PaymentLeftUnapplied>(event)) {
      moved.in = left_[unapplied->end_to_end_id.text()] = unapplied->amount;
      move(event, unapplied->paid_at, moved);
    } else if (const auto* accepted = fact_of<domain::UnappliedPaymentAccepted>(event)) {
      count_for_charge(event, accepted->end_to_end_id, accepted->fee);
    } else if (const auto* added = fact_of<domain::UnappliedPaymentAdded>(event)) {
      count_for_charge(event, added->end_to_end_id, added->fee);
    } else if (const auto* returned = fact_of<domain::UnappliedPaymentReturned>(event)) {
      moved.returned = take_back(returned->end_to_end_id);
      move(event, returned->returned_at.value_or(event.recorded_at), moved);
    } else if (const auto* reversed = fact_of<domain::UnappliedPaymentReversed>(event)) {
      moved.returned = take_back(reversed->end_to_end_id, reversed->amount);
      told_.insert(name_of(reversed->end_to_end_id, reversed->return_id));
      move(event, reversed->reversed_at, moved);
    } else if (may_be_refund(event)) {
      add_refund(event);
    }
  }

  // The payment was counted as received when it was set aside.
  void count_for_charge(const RecordedEvent& event, const domain::EndToEndId& id,
                        const std::optional<Cents>& fee) {
    left_.erase(id.text());
    MoneyMoved moved;
    moved.fees = fee.value_or(Cents());
    move(event, event.recorded_at, moved);
  }

  void add_refund(const RecordedEvent& event) {
    const auto charge = charge_of(log_, event, as_of_);
    const auto refund = domain::refund_done_by(std::get<domain::ChargeEvent>(event.event), charge);
    if (!refund) return;
    auto moment = event.recorded_at;
    if (const auto* done = fact_of<domain::RefundDone>(event)) moment = done->settled_at;
    if (const auto* reversed = fact_of<domain::PaymentReversed>(event)) {
      // Returns from before the payment counted for the charge are recorded again for the charge.
      if (!charge.payment) return;
      const auto& payment = domain::payment_of(charge, reversed->end_to_end_id);
      if (told_.contains(name_of(payment, reversed->return_id))) return;
      moment = reversed->reversed_at;
    }
    MoneyMoved moved;
    moved.refunds = refund->amount;
    move({charge.environment, charge.connection}, moment, moved);
  }

  // A payment that was assigned to a charge is counted with the charge.
  void add_of_payment(const RecordedEvent& event, const domain::PaymentEvent& of_payment) {
    const auto payment = eventstore::fold_as<domain::UnmatchedPayment>(log_, event.stream, as_of_);
    if (!payment || payment->state == domain::UnmatchedState::kAssigned) return;
    // If a charge of another project has taken it over, it is counted there.
    if (payment->state == domain::UnmatchedState::kClosed && is_a_charges(payment->end_to_end_id)) return;
    const Account account{payment->environment, payment->connection};
    const auto& id = payment->end_to_end_id;
    MoneyMoved moved;
    if (const auto* arrived = std::get_if<domain::PaymentUnmatched>(&of_payment)) {
      moved.in = left_[id.text()] = arrived->amount;
      move(account, arrived->paid_at, moved);
    } else if (const auto* returned = std::get_if<domain::PaymentReturned>(&of_payment)) {
      moved.returned = take_back(id);
      move(account, returned->returned_at, moved);
    } else if (const auto* reversed = std::get_if<domain::UnmatchedPaymentReversed>(&of_payment)) {
      moved.returned = take_back(id, reversed->amount);
      move(account, reversed->reversed_at, moved);
    }
  }

  // True if a charge has the payment, as of the position.
  bool is_a_charges(const domain::EndToEndId& id) const {
    const auto holder = log_.claim_holder(domain::end_to_end_claim(id));
    const auto charge = holder ? eventstore::fold_as<Charge>(log_, *holder, as_of_) : std::nullopt;
    return charge && domain::has_payment(*charge, id);
  }
  static std::string name_of(const domain::EndToEndId& payment, const domain::ReturnId& back) {
    return payment.text() + "/" + back.text();
  }

  // A return never exceeds the payment; without an amount it is all that is left.
  Cents take_back(const domain::EndToEndId& id, const std::optional<Cents>& amount = std::nullopt) {
    auto& left = left_[id.text()];
    const auto back = std::min(amount.value_or(left), left);
    left = left - back;
    return back;
  }

  void move(const RecordedEvent& event, Timestamp moment, const MoneyMoved& moved) {
    const auto charge = charge_of(log_, event, as_of_);
    move({charge.environment, charge.connection}, moment, moved);
  }
  void move(const Account& account, Timestamp moment, const MoneyMoved& moved) {
    const auto day = zone_.day_of(moment);
    if (day > last_day_) return;
    auto& movements = statement_.accounts[account];
    if (day < first_day_)
      movements.opening = movements.opening + moved.balance();
    else
      movements.days[day] += moved;
  }

  const Log& log_;
  const std::int64_t first_day_;
  const std::int64_t last_day_;
  const TimeZone& zone_;
  const Position as_of_;
  MoneyStatement statement_;
  std::map<std::string, Cents> left_;  // of payments that paid no charge, by end-to-end id
  std::set<std::string> told_;         // of these: taken back by banks
};

}  // namespace

std::optional<Month> Month::parse(std::string_view text) {
  if (text.size() != 7) return std::nullopt;
  const auto first = parse_date(std::string(text) + "-01");
  if (!first) return std::nullopt;
  const auto date = civil_from_days(first->millis() / kDayMs);
  return Month{date.year, date.month};
}

std::int64_t Month::first_day() const { return days_from_civil({year, number, 1}); }

std::int64_t Month::last_day() const { return first_day() + days_in_month(year, number) - 1; }

Cents MoneyMoved::balance() const { return in - fees - refunds - returned; }

MoneyMoved& MoneyMoved::operator+=(const MoneyMoved& other) {
  in = in + other.in;
  fees = fees + other.fees;
  refunds = refunds + other.refunds;
  returned = returned + other.returned;
  return *this;
}

MoneyMoved MoneyStatement::Movements::total() const {
  MoneyMoved sum;
  for (const auto& [day, moved] : days) sum += moved;
  return sum;
}

Cents MoneyStatement::Movements::closing() const { return opening + total().balance(); }

MoneyStatement make_statement(const Log& log, const std::optional<domain::ProjectId>& project,
                              const Month& month, const TimeZone& zone, Position as_of) {
  Accountant accountant(log, month, zone, as_of);
  eventstore::for_each_event(log, Position(), as_of, [&](const RecordedEvent& event) {
    if (!project || event.project == *project) accountant.add(event);
  });
  return accountant.take();
}

namespace {

using stores::CalendarDay;
using stores::Cell;
using stores::Cells;

std::string text(std::string_view view) { return std::string(view); }

Cell name_of(const ConnectionNames& names, const domain::ConnectionId& connection) {
  const auto found = names.find(connection);
  return found == names.end() ? Cell() : Cell(found->second);
}

Cells statement_row(Cell day, const MoneyStatement::Account& account, const ConnectionNames& names,
                    Cents opening, const MoneyMoved& moved) {
  return {std::move(day),
          text(domain::to_string(account.environment)),
          name_of(names, account.connection),
          account.connection.text(),
          opening.value(),
          moved.in.value(),
          moved.fees.value(),
          moved.refunds.value(),
          moved.returned.value(),
          (opening + moved.balance()).value()};
}

}  // namespace

ConnectionNames connection_names(const std::vector<domain::Project>& projects) {
  ConnectionNames names;
  for (const auto& project : projects)
    for (const auto& connection : project.connections) names[connection.id] = connection.alias.text();
  return names;
}

void each_row(const Report& report, const ConnectionNames& names, const AddRow& add) {
  for (const auto& [key, sums] : report.rows) {
    const auto& [day, part] = key;
    add({CalendarDay{day}, text(domain::to_string(part.kind.first)), name_of(names, part.connection),
         part.connection.text(), text(domain::to_string(part.kind.second)),
         static_cast<std::int64_t>(sums.count), sums.amount.value(), sums.paid.value(), sums.refunded.value(),
         sums.fees.value(), Cell()});
  }
  for (const auto& [of, sums] : report.aside)
    add({CalendarDay{of.day}, text(domain::to_string(of.environment)), name_of(names, of.connection),
         of.connection.text(), text(to_string(of.aside)), static_cast<std::int64_t>(sums.count), Cell(),
         Cell(), Cell(), Cell(), sums.amount.value()});
}

void each_row(const MoneyStatement& statement, const Month& month, const ConnectionNames& names,
              const AddRow& add) {
  for (const auto& [account, movements] : statement.accounts) {
    auto opening = movements.opening;
    for (const auto& [day, moved] : movements.days) {
      add(statement_row(CalendarDay{day}, account, names, opening, moved));
      opening = opening + moved.balance();
    }
    if (movements.days.empty())
      add(statement_row(CalendarDay{month.first_day()}, account, names, opening, {}));
  }
}

void each_total(const MoneyStatement& statement, const ConnectionNames& names, const AddRow& add) {
  for (const auto& [account, movements] : statement.accounts)
    add(statement_row(Cell(), account, names, movements.opening, movements.total()));
}

}  // namespace pixledger::tools
