#include "tools/accounting/reconciliation.h"

#include <algorithm>
#include <set>
#include <string>

#include "domain/pix/charge_txid.h"
#include "domain/text/ascii.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::ChargeEvent;
using domain::EndToEndId;
using domain::PaymentFlag;
using eventstore::Log;

// A payment as the ledger has it now.
struct Known {
  domain::Environment environment;
  std::optional<domain::ChargeId> charge;  // absent: it fitted none
  std::optional<domain::Cents> charge_amount;
  domain::Cents amount;
  domain::Timestamp paid_at;
  std::optional<PaymentFlag> unsettled{};
  bool is_unmatched = false;  // and not settled
  bool was_assigned = false;  // by a person, whatever its txid says
};

const domain::UnappliedPayment* find(const std::vector<domain::UnappliedPayment>& payments,
                                     const EndToEndId& id) {
  const auto found = std::find_if(payments.begin(), payments.end(),
                                  [&id](const auto& payment) { return payment.end_to_end_id == id; });
  return found == payments.end() ? nullptr : &*found;
}

std::optional<Known> payment_of(const Charge& charge, const EndToEndId& id) {
  if (charge.payment && charge.payment->end_to_end_id == id)
    return Known{charge.environment, charge.id, charge.amount, charge.payment->amount,
                 charge.payment->paid_at};
  if (const auto* unapplied = find(charge.unapplied, id))
    return Known{charge.environment, charge.id,          charge.amount,
                 unapplied->amount,  unapplied->paid_at, unapplied->flag};
  if (const auto* returned = find(charge.returned, id))
    return Known{charge.environment, charge.id, charge.amount, returned->amount, returned->paid_at};
  return std::nullopt;
}

Known known_of(const domain::UnmatchedPayment& payment) {
  return {.environment = payment.environment,
          .charge = std::nullopt,
          .charge_amount = std::nullopt,
          .amount = payment.amount,
          .paid_at = payment.paid_at,
          .is_unmatched = domain::is_open(payment)};
}

// Of another charge than this one, where the statement names any.
bool is_of_another(const std::string& txid, const domain::ChargeId& charge) {
  if (txid.empty() || domain::equal_without_case(txid, charge.text())) return false;
  const auto known = domain::Txid::parse(txid);
  return !known || domain::charge_named_by(*known) != charge;
}

Match match_of_flag(PaymentFlag flag) {
  switch (flag) {
    case PaymentFlag::kPaidAfterExpiry:
    case PaymentFlag::kPaidAfterClose:
      return Match::kLate;
    case PaymentFlag::kDuplicatePayment:
      return Match::kDoubled;
    case PaymentFlag::kAmountMismatch:
      return Match::kAmountDiffers;
  }
  return Match::kAmountDiffers;
}

class Reconciler {
 public:
  Reconciler(const Log& log, const domain::ProjectId& project) : log_(log), project_(project) {
    result_.as_of = log.head().position;
  }

  Reconciliation run(const std::vector<StatementLine>& statement, const Period& period) {
    std::vector<std::optional<Known>> known;
    for (const auto& line : statement) known.push_back(find_payment(line.end_to_end_id));
    result_.environment = environment_of(known);
    for (std::size_t i = 0; i < statement.size(); ++i) add_line(statement[i], known[i]);
    add_missing(period);
    return std::move(result_);
  }

 private:
  std::optional<Known> find_payment(const EndToEndId& id) const {
    if (const auto stream = log_.claim_holder(domain::end_to_end_claim(id))) {
      const auto charge = eventstore::fold_as<Charge>(log_, *stream, result_.as_of);
      if (!charge || charge->project != project_) return std::nullopt;
      auto known = payment_of(*charge, id);
      if (known) known->was_assigned = unmatched_payment(id).has_value();
      return known;
    }
    const auto unmatched = unmatched_payment(id);
    return unmatched && unmatched->project == project_ ? std::optional(known_of(*unmatched)) : std::nullopt;
  }

  std::optional<domain::UnmatchedPayment> unmatched_payment(const EndToEndId& id) const {
    return eventstore::fold_as<domain::UnmatchedPayment>(log_, domain::payment_stream(id), result_.as_of);
  }

  static domain::Environment environment_of(const std::vector<std::optional<Known>>& known) {
    bool any = false;
    for (const auto& payment : known) {
      if (payment && payment->environment == domain::Environment::kLive) return domain::Environment::kLive;
      any = any || payment;
    }
    return any ? domain::Environment::kSandbox : domain::Environment::kLive;
  }

  void add_line(const StatementLine& line, const std::optional<Known>& known) {
    Reconciled item{.match = match_of(line, known),
                    .end_to_end_id = line.end_to_end_id,
                    .line = line.line,
                    .statement_amount = line.amount,
                    .statement_paid_at = line.paid_at};
    if (known) note(item, *known);
    result_.items.push_back(std::move(item));
  }

  Match match_of(const StatementLine& line, const std::optional<Known>& known) {
    const bool first = seen_.insert(line.end_to_end_id.text()).second;
    if (!first) return Match::kDoubled;
    if (!known || (known->charge && !known->was_assigned && is_of_another(line.txid, *known->charge)))
      return Match::kMissingInLedger;
    if (line.amount != known->amount) return Match::kAmountDiffers;
    if (known->is_unmatched) return Match::kUnmatched;
    return known->unsettled ? match_of_flag(*known->unsettled) : Match::kMatched;
  }

  static void note(Reconciled& item, const Known& known) {
    item.ledger_amount = known.amount;
    item.ledger_paid_at = known.paid_at;
    item.charge = known.charge;
    item.charge_amount = known.charge_amount;
    item.flag = known.unsettled;
  }

  void add_missing(const Period& period) {
    eventstore::for_each_event(log_, domain::Position(), result_.as_of,
                               [&](const domain::RecordedEvent& event) {
                                 if (event.project != project_) return;
                                 if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
                                   return add_unless_seen(event, *of_payment, period);
                                 const auto* of_charge = std::get_if<ChargeEvent>(&event.event);
                                 if (!of_charge) return;
                                 if (const auto* paid = std::get_if<domain::ChargePaid>(of_charge))
                                   add_unless_seen(event, paid->end_to_end_id, paid->paid_at, period);
                                 if (const auto* left = std::get_if<domain::PaymentLeftUnapplied>(of_charge))
                                   add_unless_seen(event, left->end_to_end_id, left->paid_at, period);
                               });
  }

  void add_unless_seen(const domain::RecordedEvent& event, const EndToEndId& id, domain::Timestamp paid_at,
                       const Period& period) {
    if (seen_.count(id.text()) != 0 || !period.contains(paid_at)) return;
    const auto charge = eventstore::fold_as<Charge>(log_, event.stream, result_.as_of);
    if (!charge || charge->environment != result_.environment) return;
    const auto known = payment_of(*charge, id);
    if (!known) throw eventstore::LogCorrupt("a payment that was recorded is not in its charge");
    add_missing_in_statement(id, *known);
  }

  // What was assigned is among its charge's.
  void add_unless_seen(const domain::RecordedEvent& event, const domain::PaymentEvent& of_payment,
                       const Period& period) {
    const auto* unmatched = std::get_if<domain::PaymentUnmatched>(&of_payment);
    if (!unmatched || unmatched->environment != result_.environment || !period.contains(unmatched->paid_at) ||
        seen_.count(unmatched->end_to_end_id.text()) != 0)
      return;
    const auto payment = eventstore::fold_as<domain::UnmatchedPayment>(log_, event.stream, result_.as_of);
    if (payment && payment->state != domain::UnmatchedState::kAssigned)
      add_missing_in_statement(unmatched->end_to_end_id, known_of(*payment));
  }

  void add_missing_in_statement(const EndToEndId& id, const Known& known) {
    Reconciled item{.match = Match::kMissingInStatement, .end_to_end_id = id};
    note(item, known);
    result_.items.push_back(std::move(item));
  }

  const Log& log_;
  const domain::ProjectId& project_;
  Reconciliation result_{domain::Environment::kLive, {}, {}};
  std::set<std::string> seen_;  // end-to-end ids of the statement
};

}  // namespace

std::string_view to_string(Match match) {
  switch (match) {
    case Match::kMatched:
      return "matched";
    case Match::kMissingInLedger:
      return "missingInLedger";
    case Match::kMissingInStatement:
      return "missingInStatement";
    case Match::kAmountDiffers:
      return "amountDiffers";
    case Match::kLate:
      return "late";
    case Match::kDoubled:
      return "doubled";
    case Match::kUnmatched:
      return "unmatched";
  }
  return "unknown";
}

Reconciliation reconcile(const Log& log, const domain::ProjectId& project,
                         const std::vector<StatementLine>& statement, const Period& period) {
  return Reconciler(log, project).run(statement, period);
}

}  // namespace pixledger::tools
