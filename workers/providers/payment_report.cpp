#include "workers/providers/payment_report.h"

#include <algorithm>

#include "domain/text/ascii.h"
#include "eventstore/reading/state_reader.h"
#include "workers/providers/api_pix/bank_requests.h"

namespace pixledger::workers {
namespace {

using domain::UnmatchedReason;

// Older payments on a connection's key are no business of a connection that was not there then. Clocks
// differ, and who adds a connection may have had its codes before.
constexpr std::int64_t kBeforeConnectionMsMax = 3'600'000;

// Banks may write ids in other letters.
bool is_same(const domain::RefundId& id, std::string_view written) {
  return domain::equal_without_case(id.text(), written);
}

const domain::Refund* find_refund(const domain::Charge& charge, std::string_view id) {
  const auto found = std::find_if(charge.refund_list.begin(), charge.refund_list.end(),
                                  [&](const auto& refund) { return is_same(refund.id, id); });
  return found == charge.refund_list.end() ? nullptr : &*found;
}

bool is_key_of(const domain::ApiPix& terms, const BankPayment& payment) {
  return !payment.key || domain::equal_without_case(*payment.key, terms.pix_key.text());
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
  if (const auto holder = log_.claim_holder(domain::end_to_end_claim(payment.end_to_end_id))) {
    const auto charge = eventstore::fold_as<domain::Charge>(log_, *holder);
    return !charge || charge->project != project || report_returns(*charge, payment);
  }
  const auto stream = domain::payment_stream(payment.end_to_end_id);
  if (const auto unmatched = eventstore::fold_as<domain::UnmatchedPayment>(log_, stream))
    return unmatched->project != project || report_returns(*unmatched, payment);
  const auto found = match(bank, project, payment);
  if (const auto* charge = std::get_if<domain::Charge>(&found)) return report_paid(bank, *charge, payment);
  const auto* reason = std::get_if<UnmatchedReason>(&found);
  return !reason || report_unmatched(bank, project, payment, *reason);
}

PaymentReport::Match PaymentReport::match(const BankAtHand& bank, const domain::ProjectId& project,
                                          const BankPayment& payment) const {
  const bool is_to_our_key = is_key_of(*bank.connection.api_pix, payment);
  const auto unmatched = [&](UnmatchedReason reason) {
    return is_to_our_key ? Match(reason) : Match(std::monostate());
  };
  if (!payment.txid) return unmatched(UnmatchedReason::kNoTxid);
  const auto id = charge_of(*payment.txid);
  auto charge = id ? eventstore::fold_as<domain::Charge>(log_, domain::charge_stream(*id))
                   : std::optional<domain::Charge>();
  if (!charge) return unmatched(UnmatchedReason::kUnknownCharge);
  // Whoever pays to an account with another merchant's txid has paid nothing of that merchant's, unless the
  // two share the account: then the other's connection tells of it.
  if (charge->project != project)
    return has_same_key(*charge, bank) ? Match(std::monostate()) : unmatched(UnmatchedReason::kOtherProject);
  // Whoever plays at a bank's test has paid nothing that is live.
  if (charge->environment != bank.connection.environment)
    return unmatched(UnmatchedReason::kOtherEnvironment);
  if (!charge->through_bank) return unmatched(UnmatchedReason::kNotThroughBank);
  // Charges of that connection are paid to its account, whatever its key was then; others to its own key
  // alone.
  if (charge->connection != bank.connection.id && !is_to_our_key) return std::monostate();
  return *std::move(charge);
}

bool PaymentReport::has_same_key(const domain::Charge& charge, const BankAtHand& bank) const {
  const auto project = eventstore::fold_as<domain::Project>(log_, domain::project_stream(charge.project));
  const auto* own = project ? domain::connection_of(*project, charge.connection) : nullptr;
  return own && own->api_pix && own->api_pix->pix_key == bank.connection.api_pix->pix_key;
}

bool PaymentReport::report_paid(const BankAtHand& bank, const domain::Charge& charge,
                                const BankPayment& payment) const {
  const auto outcome = ledger_.submit(domain::ReportPayment{.project = charge.project,
                                                            .charge = charge.id,
                                                            .end_to_end_id = payment.end_to_end_id,
                                                            .amount = payment.amount,
                                                            .paid_at = payment.paid_at});
  // What claims the future is told again until it may be.
  if (!outcome || outcome->rejection == domain::Rejection::kPaymentInFuture) return false;
  if (outcome->rejection == domain::Rejection::kPaymentBeforeCharge)
    return report_unmatched(bank, charge.project, payment, UnmatchedReason::kBeforeCharge);
  if (!outcome->done()) {
    tell_refusal(bank, payment);
    return true;
  }
  const auto paid = eventstore::fold_as<domain::Charge>(log_, domain::charge_stream(charge.id));
  return !paid || report_returns(*paid, payment);
}

bool PaymentReport::report_unmatched(const BankAtHand& bank, const domain::ProjectId& project,
                                     const BankPayment& payment, UnmatchedReason reason) const {
  const auto connection =
      eventstore::fold_as<domain::BankConnection>(log_, domain::connection_stream(bank.connection.id));
  if (!connection || payment.paid_at < connection->created_at.plus_millis(-kBeforeConnectionMsMax))
    return true;
  const auto outcome = ledger_.submit(domain::RecordUnmatchedPayment{.project = project,
                                                                     .connection = bank.connection.id,
                                                                     .end_to_end_id = payment.end_to_end_id,
                                                                     .amount = payment.amount,
                                                                     .paid_at = payment.paid_at,
                                                                     .txid = payment.txid,
                                                                     .reason = reason});
  if (!outcome || outcome->rejection == domain::Rejection::kPaymentInFuture) return false;
  if (!outcome->done()) {
    tell_refusal(bank, payment);
    return true;
  }
  const auto recorded =
      eventstore::fold_as<domain::UnmatchedPayment>(log_, domain::payment_stream(payment.end_to_end_id));
  return !recorded || report_returns(*recorded, payment);
}

void PaymentReport::tell_refusal(const BankAtHand& bank, const BankPayment& payment) const {
  logger_.error("a payment at the bank was not taken",
                {{"connection", bank.connection.id.text()}, {"endToEndId", payment.end_to_end_id.text()}});
}

// --- what went back ---

bool PaymentReport::report_returns(const domain::UnmatchedPayment& unmatched,
                                   const BankPayment& payment) const {
  using domain::UnmatchedState;
  const auto& e2e = unmatched.end_to_end_id;
  for (const auto& back : payment.refunds) {
    const auto id = domain::RefundId::parse(back.id);
    if (!id) continue;
    const bool is_ours =
        unmatched.state == UnmatchedState::kReturning && is_same(*unmatched.return_id, back.id);
    const auto& its_id = is_ours ? *unmatched.return_id : *id;
    // The bank's own counts where it has left nothing.
    const bool is_all = domain::is_open(unmatched) && back.amount == unmatched.amount;
    if (back.status == BankRefundStatus::kReturned && (is_ours || is_all))
      return ledger_.submit(domain::SettlePaymentReturn{e2e, its_id, back.settled_at.value_or(clock_.now())})
          .has_value();
    if (back.status == BankRefundStatus::kNotDone && is_ours)
      return ledger_.submit(domain::FailPaymentReturn{e2e, its_id, domain::Label::parse(back.reason)})
          .has_value();
  }
  return true;
}

bool PaymentReport::report_returns(const domain::UnappliedPayment& unapplied, const domain::ChargeId& charge,
                                   const BankPayment& payment) const {
  const auto& e2e = unapplied.end_to_end_id;
  for (const auto& back : payment.refunds) {
    const auto id = domain::RefundId::parse(back.id);
    if (!id) continue;
    const bool is_ours = unapplied.return_id && is_same(*unapplied.return_id, back.id);
    const auto& its_id = is_ours ? *unapplied.return_id : *id;
    const bool is_all = !unapplied.return_id && back.amount == unapplied.amount;
    if (back.status == BankRefundStatus::kReturned && (is_ours || is_all))
      return ledger_
          .submit(domain::SettleUnappliedReturn{charge, e2e, its_id, back.settled_at.value_or(clock_.now())})
          .has_value();
    if (back.status == BankRefundStatus::kNotDone && is_ours)
      return ledger_
          .submit(domain::FailUnappliedReturn{charge, e2e, its_id, domain::Label::parse(back.reason)})
          .has_value();
  }
  return true;
}

bool PaymentReport::report_returns(const domain::Charge& charge, const BankPayment& payment) const {
  for (const auto& unapplied : charge.unapplied)
    if (unapplied.end_to_end_id == payment.end_to_end_id)
      return report_returns(unapplied, charge.id, payment);
  if (!charge.through_bank || !charge.payment || charge.payment->end_to_end_id != payment.end_to_end_id)
    return true;
  for (const auto& back : payment.refunds) {
    const auto id = domain::RefundId::parse(back.id);
    if (!id) continue;
    const auto* ours = find_refund(charge, back.id);
    const auto settled_at = back.settled_at.value_or(clock_.now());
    const bool came_after_all =
        ours && ours->status == domain::RefundStatus::kFailed && back.status == BankRefundStatus::kReturned;
    if (came_after_all)
      logger_.error("money went back for a refund that had failed",
                    {{"transaction", charge.id.text()}, {"refund", back.id}});
    if (ours && !came_after_all) {
      if (ours->status != domain::RefundStatus::kPending) continue;
      if (back.status == BankRefundStatus::kReturned &&
          !ledger_.submit(domain::SettleRefund{charge.id, ours->id, settled_at}))
        return false;
      if (back.status == BankRefundStatus::kNotDone &&
          !ledger_.submit(domain::FailRefund{charge.id, ours->id}))
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
