#include "workers/providers/payment_report.h"

#include <algorithm>

#include "domain/text/ascii.h"
#include "eventstore/reading/state_reader.h"
#include "workers/providers/api_pix/bank_requests.h"

namespace pixledger::workers {
namespace {

bool has(const std::vector<domain::UnappliedPayment>& payments, const domain::EndToEndId& id) {
  return std::any_of(payments.begin(), payments.end(),
                     [&](const auto& payment) { return payment.end_to_end_id == id; });
}

bool knows(const domain::Charge& charge, const domain::EndToEndId& id) {
  return (charge.payment && charge.payment->end_to_end_id == id) || has(charge.unapplied, id) ||
         has(charge.returned, id);
}

const domain::Refund* find_refund(const domain::Charge& charge, const domain::RefundId& id) {
  const auto found = std::find_if(charge.refund_list.begin(), charge.refund_list.end(),
                                  [&](const auto& refund) { return refund.id == id; });
  return found == charge.refund_list.end() ? nullptr : &*found;
}

// Charges of that connection are paid to its account, whatever its key was then; others to its own key alone.
bool is_paid_there(const domain::Charge& charge, const BankAtHand& bank, const BankPayment& payment) {
  if (charge.environment != bank.connection.environment) return false;
  return charge.connection == bank.connection.id || !payment.key ||
         domain::equal_without_case(*payment.key, bank.connection.api_pix->pix_key.text());
}

}  // namespace

std::optional<domain::ChargeId> charge_of(const domain::Txid& txid) {
  std::string text;
  for (const char c : txid.text()) text += domain::to_ascii_lower(c);
  if (text.size() == domain::kMintedIdSize + 1 && text.front() == 'p') text.erase(0, 1);
  if (text.size() != domain::kMintedIdSize) return std::nullopt;
  return domain::ChargeId::parse(text);
}

bool PaymentReport::report(const BankAtHand& bank, const domain::ProjectId& project,
                           const BankPayment& payment) const {
  const auto id = payment.txid ? charge_of(*payment.txid) : std::nullopt;
  const auto stream = id ? std::optional(domain::charge_stream(*id)) : std::nullopt;
  auto charge = stream ? eventstore::fold_as<domain::Charge>(log_, *stream) : std::nullopt;
  // Whoever pays to an account with another merchant's txid has paid nothing of that merchant's, and whoever
  // plays at a bank's test nothing that is live.
  if (!charge || charge->project != project || !charge->through_bank ||
      !is_paid_there(*charge, bank, payment))
    return true;
  if (!knows(*charge, payment.end_to_end_id)) {
    const auto outcome = ledger_.submit(domain::ReportPayment{.project = project,
                                                              .charge = charge->id,
                                                              .end_to_end_id = payment.end_to_end_id,
                                                              .amount = payment.amount,
                                                              .paid_at = payment.paid_at});
    // What claims the future is told again until it may be.
    if (!outcome || outcome->rejection == domain::Rejection::kPaymentInFuture) return false;
    if (!outcome->done()) {
      logger_.error("a payment at the bank was not taken", {{"connection", bank.connection.id.text()},
                                                            {"endToEndId", payment.end_to_end_id.text()}});
      return true;
    }
    charge = eventstore::fold_as<domain::Charge>(log_, *stream);
  }
  return report_returns(*charge, payment);
}

bool PaymentReport::report_returns(const domain::Charge& charge, const BankPayment& payment) const {
  if (!charge.payment || charge.payment->end_to_end_id != payment.end_to_end_id) return true;
  for (const auto& back : payment.refunds) {
    const auto id = domain::RefundId::parse(back.id);
    if (!id) continue;
    const auto* ours = find_refund(charge, *id);
    const auto settled_at = back.settled_at.value_or(clock_.now());
    const bool came_after_all =
        ours && ours->status == domain::RefundStatus::kFailed && back.status == BankRefundStatus::kReturned;
    if (came_after_all)
      logger_.error("money went back for a refund that had failed",
                    {{"transaction", charge.id.text()}, {"refund", back.id}});
    if (ours && !came_after_all) {
      if (ours->status != domain::RefundStatus::kPending) continue;
      if (back.status == BankRefundStatus::kReturned &&
          !ledger_.submit(domain::SettleRefund{charge.id, *id, settled_at}))
        return false;
      if (back.status == BankRefundStatus::kNotDone && !ledger_.submit(domain::FailRefund{charge.id, *id}))
        return false;
      continue;
    }
    const auto return_id = back.rtr_id ? domain::ReturnId::parse(*back.rtr_id) : std::nullopt;
    if (back.status != BankRefundStatus::kReturned || !return_id) continue;
    if (!ledger_.submit(domain::ReportReversal{.project = charge.project,
                                               .charge = charge.id,
                                               .id = *id,
                                               .return_id = *return_id,
                                               .amount = back.amount,
                                               .reversed_at = settled_at}))
      return false;
  }
  return true;
}

}  // namespace pixledger::workers
