// What the bank says of the charges that go through it.
#include <algorithm>
#include <cassert>

#include "domain/aggregates/charge_payments.h"
#include "domain/decisions/charge_outcome.h"
#include "domain/decisions/decide.h"

namespace pixledger::domain {
namespace {

const Refund* find_refund(const Charge& charge, const RefundId& id) {
  const auto found = std::find_if(charge.refund_list.begin(), charge.refund_list.end(),
                                  [&](const Refund& refund) { return refund.id == id; });
  return found == charge.refund_list.end() ? nullptr : &*found;
}

// Two payments may have gone back under one id, which their bank gives for each.
bool has_gone_back(const Charge& charge, const EndToEndId& payment, const RefundId& id) {
  return std::any_of(charge.refund_list.begin(), charge.refund_list.end(), [&](const Refund& refund) {
    return refund.id == id && refund.status == RefundStatus::kDone &&
           payment_of(charge, refund.payment) == payment;
  });
}

// Whether so much of the charge's payment, and of all of them, has not gone back yet. More never comes back
// than was paid.
bool is_left(const Charge& charge, const EndToEndId& payment, Cents amount) {
  const auto counted = counted_payment(charge, payment);
  return counted && counted->gone_back + amount <= counted->payment.amount &&
         charge.refunded + amount <= charge.payment->amount;
}

}  // namespace

ChargeEvent end_of_code_wait(const Charge& charge, Timestamp now) {
  // Its static code is shown until then, so what comes in time may well have been paid with it.
  if (charge.code_fallback == CodeFallback::kNone && now >= *charge.code_awaited_until) return ChargeFailed{};
  return ChargeCodeSet{.kind = CodeKind::kStatic, .pix_code = charge.pix_code};
}

Decision decide(const Charge* charge, const SetChargeCode& command, const Context&) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!awaits_code(*charge)) return nothing_to_do();
  return record(*charge, ChargeCodeSet{.kind = CodeKind::kDynamic, .pix_code = command.pix_code});
}

Decision decide(const Charge* charge, const EndCodeWait&, const Context&) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!awaits_code(*charge)) return nothing_to_do();
  return record(*charge, end_of_code_wait(*charge, *charge->code_awaited_until));
}

Decision decide(const Charge* charge, const ConfirmCancel&, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!charge->cancel_requested_at) return nothing_to_do();
  if (awaits_payment(*charge, context.now)) return record(*charge, ChargeCancelled{});
  return after_expiry(*charge, context.now, record(*charge, ChargeCancelDropped{}));
}

Decision decide(const Charge* charge, const DropCancel&, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!charge->cancel_requested_at) return nothing_to_do();
  return after_expiry(*charge, context.now, record(*charge, ChargeCancelDropped{}));
}

Decision decide(const Charge* charge, const SettleRefund& command, const Context& context) {
  const auto* refund = charge ? find_refund(*charge, command.id) : nullptr;
  if (!refund) return refuse(Rejection::kRefundNotFound);
  if (refund->status != RefundStatus::kPending) return nothing_to_do();
  if (command.settled_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  // The bank may have sent back by itself what this was to come from.
  if (!is_left(*charge, payment_of(*charge, refund->payment), refund->amount))
    return refuse(Rejection::kRefundNotAllowed);
  return record(*charge, RefundDone{.id = command.id, .settled_at = command.settled_at});
}

Decision decide(const Charge* charge, const FailRefund& command, const Context&) {
  const auto* refund = charge ? find_refund(*charge, command.id) : nullptr;
  if (!refund) return refuse(Rejection::kRefundNotFound);
  if (refund->status != RefundStatus::kPending) return nothing_to_do();
  return record(*charge, RefundFailed{command.id});
}

Decision decide(const Charge* charge, const StreamName* holder, const ReportReversal& command,
                const Context& context) {
  assert(command.amount > Cents(0));
  if (!charge || charge->project != command.project) return refuse(Rejection::kTransactionNotFound);
  if (holder) return nothing_to_do();
  if (!charge->payment) return refuse(Rejection::kTransactionStatus);
  const auto& payment = payment_of(*charge, command.end_to_end_id);
  if (!counted_payment(*charge, payment)) return refuse(Rejection::kPaymentNotFound);
  // Banks may name a return only in the end, and by then its devolução has counted.
  if (has_gone_back(*charge, payment, command.id)) return nothing_to_do();
  if (command.reversed_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  // What is still pending then fails at the bank.
  if (!is_left(*charge, payment, command.amount)) return refuse(Rejection::kRefundNotAllowed);
  PaymentReversed reversed{.id = command.id,
                           .return_id = command.return_id,
                           .amount = command.amount,
                           .reversed_at = command.reversed_at};
  if (payment != charge->payment->end_to_end_id) reversed.end_to_end_id = payment;
  return record(*charge, std::move(reversed));
}

}  // namespace pixledger::domain
