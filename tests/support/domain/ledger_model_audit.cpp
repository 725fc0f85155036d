// Compares the model with the ledger's own states.
#include <algorithm>

#include "domain/aggregates/charge.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/ledger_model.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

using namespace domain;

void LedgerModel::compare(const Charge& charge) {
  const auto found = charges_.find(charge_stream(charge.id).text());
  if (found == charges_.end()) return problem("a charge out of nowhere: " + charge.id.text());
  const auto& facts = found->second;
  const auto agree = [&](bool holds, const char* what) {
    if (!holds) problem(std::string(what) + " of " + describe(AggregateState(charge)));
  };
  agree(charge.status == facts.status, "status");
  agree(charge.refunded == facts.refunded, "refunds");
  agree(pending_refunds(charge) == facts.pending, "refunds asked for");
  agree(charge.updated_at == facts.updated_at, "updatedAt");
  agree((charge.status == ChargeStatus::kRefunded) == charge.refunded_at.has_value(), "refundedAt");
  Cents paid(0);
  std::size_t applied = 0;
  std::size_t unapplied = 0;
  std::size_t returned = 0;
  for (const auto& [id, payment] : facts.payments) {
    applied += payment.fate == Fate::kApplied;
    unapplied += payment.fate == Fate::kUnapplied;
    returned += payment.fate == Fate::kReturned;
    if (payment.fate != Fate::kApplied) continue;
    paid = paid + payment.amount;
    const auto counted = counted_payment(charge, parsed<EndToEndId>(id));
    agree(counted && counted->payment.amount == payment.amount, "the payment's amount");
  }
  agree(applied == counted_payments(charge).size(), "payments applied");
  agree(paid == (charge.payment ? charge.payment->amount : Cents(0)), "what was paid in all");
  agree(unapplied == charge.unapplied.size(), "payments left unapplied");
  agree(returned == charge.returned.size(), "payments returned");
}

void LedgerModel::audit() {
  std::size_t payments = 0;
  for (const auto& [stream, facts] : charges_) {
    payments += facts.payments.size();
    const bool was_paid = facts.status == ChargeStatus::kPaid || facts.status == ChargeStatus::kRefunded;
    const auto applied = std::count_if(facts.payments.begin(), facts.payments.end(), [](const auto& payment) {
      return payment.second.fate == Fate::kApplied;
    });
    if (was_paid ? applied < 1 || applied > 4 : applied != 0)
      problem(stream + " has " + std::to_string(applied) + " payments applied");
  }
  if (payments != end_to_end_ids_.size()) problem("payments were lost");
}

}  // namespace pixledger::tests
