#include "tools/accounting/report.h"

#include "domain/decisions/charge_outcome.h"
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

  // Each event of the charges wanted, in order; what is recorded with a day is recorded by the end of it.
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
  Charge charge_of(const RecordedEvent& event) const {
    auto charge = eventstore::fold_as<Charge>(log_, event.stream, as_of_);
    if (!charge) throw eventstore::LogCorrupt("a charge that was created has no stream");
    return *std::move(charge);
  }

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
    const auto charge = charge_of(event);
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
    if (period_.contains(event.recorded_at)) add_whole(event.recorded_at, charge_of(event));
  }

  // All of it on the day of its first payment, with what was added, as a table of charges has it.
  void add_by_payment(const RecordedEvent& event) {
    const auto charge = charge_of(event);
    if (charge.payment && period_.contains(charge.payment->paid_at))
      add_whole(charge.payment->paid_at, charge);
  }

  // All of a charge's refunds in the period at the first of them, so that days and totals have it once.
  void add_by_refunds(const RecordedEvent& event) {
    if (!period_.contains(event.recorded_at)) return;
    const auto charge = charge_of(event);
    auto& totals = report_.totals[part_of(charge)];
    std::optional<std::int64_t> day_before;
    for (const auto& stored : eventstore::StreamEvents(log_, event.stream, 0, as_of_)) {
      const auto other = eventstore::decode(stored);
      if (!may_be_refund(other)) continue;
      const auto refund = domain::refund_done_by(std::get<domain::ChargeEvent>(other.event), charge);
      if (!refund || !period_.contains(other.recorded_at)) continue;
      if (!day_before && other.position < event.position) return;  // told already
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
  if (name == "created") return ReportBy::kCreated;
  if (name == "paid") return ReportBy::kPaid;
  if (name == "refunded") return ReportBy::kRefunded;
  return std::nullopt;
}

std::string_view to_string(Report::Aside aside) {
  return aside == Report::Aside::kUnapplied ? "unapplied" : "unmatched";
}

Report make_report(const Log& log, const std::optional<domain::ProjectId>& project, const Period& period,
                   Position as_of, ReportBy by) {
  Reporter reporter(log, period, as_of);
  // A payment may be reported any time after it was made, and a little ahead of the ledger's clock.
  const auto after = period.begin(log, domain::kPaymentAheadMsMax);
  eventstore::for_each_event(log, after, as_of, [&](const RecordedEvent& event) {
    if (!project || event.project == *project) reporter.add(event, by);
  });
  for (const auto& payment : unmatched_payments_of(log, project, as_of)) reporter.add(payment);
  return reporter.take();
}

}  // namespace pixledger::tools
