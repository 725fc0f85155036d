#include "domain/aggregates/charge.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text/ascii.h"
#include "base/text/enum_names.h"

namespace pixledger::domain {
namespace {

constexpr EnumNames<ChargeStatus::kWaitingPayment, ChargeStatus::kFailed> kChargeStatusNames{
    "waiting_payment", "processing", "paid", "expired", "cancelled", "refunded", "failed"};
constexpr EnumNames<PaymentFlag::kPaidAfterExpiry, PaymentFlag::kAmountMismatch> kPaymentFlagNames{
    "PAID_AFTER_EXPIRY", "PAID_AFTER_CLOSE", "DUPLICATE_PAYMENT", "AMOUNT_MISMATCH"};
constexpr EnumNames<RefundStatus::kPending, RefundStatus::kFailed> kRefundStatusNames{"pending", "done",
                                                                                      "failed"};

auto find_unapplied(Charge& charge, const EndToEndId& id) {
  return std::find_if(charge.unapplied.begin(), charge.unapplied.end(),
                      [&](const UnappliedPayment& payment) { return payment.end_to_end_id == id; });
}

// The id of a refund recorded before refunds had ids, derived from its position in the charge.
RefundId nameless_refund(const Charge& charge) {
  constexpr std::size_t kIdCharactersMax = 30;  // leaves room for the position
  std::string text = "r";
  for (const char c : charge.id.text().substr(0, kIdCharactersMax))
    if (is_ascii_alnum(c)) text += c;
  return *RefundId::parse(text + std::to_string(charge.refund_list.size() + 1));
}

// Applies every event but the first, and requires an existing charge.
struct ChangeCharge {
  Charge& charge;
  Timestamp at;

  void operator()(const ChargeCreated&) const {}
  void operator()(const ChargePaid& event) const {
    charge.status = ChargeStatus::kPaid;
    charge.payment = Payment{.end_to_end_id = event.end_to_end_id,
                             .amount = event.amount,
                             .paid_at = event.paid_at,
                             .fee = event.fee};
  }
  void operator()(const ChargeProcessingStarted&) const { charge.status = ChargeStatus::kProcessing; }
  void operator()(const ChargeExpired&) const {
    charge.status = ChargeStatus::kExpired;
    charge.expired_at = at;
  }
  void operator()(const ChargeCancelled&) const {
    charge.status = ChargeStatus::kCancelled;
    charge.cancel_requested_at.reset();
  }
  void operator()(const ChargeCodeSet& event) const {
    charge.code_kind = event.kind;
    charge.pix_code = event.pix_code;
    charge.code_awaited_until.reset();
  }
  void operator()(const ChargeCancelRequested&) const { charge.cancel_requested_at = at; }
  void operator()(const ChargeCancelDropped&) const { charge.cancel_requested_at.reset(); }
  void operator()(const ChargeFailed&) const {
    charge.status = ChargeStatus::kFailed;
    charge.failed_at = at;
  }
  void operator()(const ChargeRefunded& event) const {
    charge.refund_list.push_back({.id = event.id ? *event.id : nameless_refund(charge),
                                  .amount = event.amount,
                                  .status = RefundStatus::kDone,
                                  .origin = RefundOrigin::kMerchant,
                                  .requested_at = at,
                                  .settled_at = at,
                                  .reason = event.reason});
    count_refund(event.amount);
  }
  void operator()(const RefundRequested& event) const {
    charge.refund_list.push_back({.id = event.id,
                                  .amount = event.amount,
                                  .status = RefundStatus::kPending,
                                  .origin = RefundOrigin::kMerchant,
                                  .requested_at = at,
                                  .reason = event.reason,
                                  .payment = event.end_to_end_id});
  }
  void operator()(const RefundDone& event) const {
    auto* const refund = find_refund(charge, event.id);
    if (!refund) return;
    refund->status = RefundStatus::kDone;
    refund->settled_at = event.settled_at;
    count_refund(refund->amount);
  }
  void operator()(const RefundFailed& event) const {
    if (auto* const refund = find_refund(charge, event.id)) refund->status = RefundStatus::kFailed;
  }
  void operator()(const PaymentReversed& event) const {
    charge.refund_list.push_back({.id = event.id,
                                  .amount = event.amount,
                                  .status = RefundStatus::kDone,
                                  .origin = RefundOrigin::kBank,
                                  .requested_at = event.reversed_at,
                                  .settled_at = event.reversed_at,
                                  .payment = event.end_to_end_id});
    count_refund(event.amount);
  }
  void operator()(const PaymentLeftUnapplied& event) const {
    charge.unapplied.push_back({.end_to_end_id = event.end_to_end_id,
                                .amount = event.amount,
                                .paid_at = event.paid_at,
                                .received_at = at,
                                .flag = event.flag});
  }
  void operator()(const UnappliedPaymentAccepted& event) const {
    const auto found = find_unapplied(charge, event.end_to_end_id);
    if (found == charge.unapplied.end()) return;
    charge.status = ChargeStatus::kPaid;
    charge.payment = Payment{.end_to_end_id = found->end_to_end_id,
                             .amount = found->amount,
                             .paid_at = found->paid_at,
                             .fee = event.fee};
    charge.unapplied.erase(found);
  }
  void operator()(const UnappliedPaymentAdded& event) const {
    const auto found = find_unapplied(charge, event.end_to_end_id);
    if (found == charge.unapplied.end() || !charge.payment) return;
    auto& all = *charge.payment;
    all.amount = all.amount + found->amount;
    if (event.fee) all.fee = all.fee.value_or(Cents(0)) + *event.fee;
    charge.added.push_back({.end_to_end_id = found->end_to_end_id,
                            .amount = found->amount,
                            .paid_at = found->paid_at,
                            .fee = event.fee});
    charge.unapplied.erase(found);
  }
  void operator()(const UnappliedPaymentReturned& event) const {
    const auto found = find_unapplied(charge, event.end_to_end_id);
    if (found == charge.unapplied.end()) return;
    if (event.id) found->return_id = event.id;
    found->returned_at = event.returned_at;
    charge.returned.push_back(std::move(*found));
    charge.unapplied.erase(found);
  }
  void operator()(const UnappliedReturnRequested& event) const {
    const auto found = find_unapplied(charge, event.end_to_end_id);
    if (found != charge.unapplied.end()) found->return_id = event.id;
  }
  void operator()(const UnappliedReturnFailed& event) const {
    const auto found = find_unapplied(charge, event.end_to_end_id);
    if (found != charge.unapplied.end()) found->return_id.reset();
  }
  void operator()(const UnappliedPaymentReversed& event) const {
    for (auto* list : {&charge.unapplied, &charge.returned})
      for (auto& payment : *list)
        if (payment.end_to_end_id == event.end_to_end_id)
          payment.reversed.push_back({event.id, event.return_id, event.amount, event.reversed_at});
  }

 private:
  void count_refund(Cents amount) const {
    charge.refunded = charge.refunded + amount;
    ++charge.refunds;
    if (!charge.payment || charge.refunded < charge.payment->amount) return;
    charge.status = ChargeStatus::kRefunded;
    charge.refunded_at = at;
  }
};

Charge created(const ChargeCreated& event, Timestamp at) {
  auto charge = made_of_same_fields<Charge>(event);
  charge.status = ChargeStatus::kWaitingPayment;
  charge.code_kind = CodeKind::kStatic;
  charge.created_at = charge.updated_at = at;
  return charge;
}

struct PaymentEffectOf {
  using Result = PaymentEffect;

  Result operator()(const ChargePaid&) const { return Result::kPaid; }
  Result operator()(const UnappliedPaymentAccepted&) const { return Result::kPaid; }
  Result operator()(const ChargeProcessingStarted&) const { return Result::kNotAwaited; }
  Result operator()(const ChargeExpired&) const { return Result::kNotAwaited; }
  Result operator()(const ChargeCancelled&) const { return Result::kNotAwaited; }
  Result operator()(const ChargeFailed&) const { return Result::kNotAwaited; }
  Result operator()(const ChargeCancelRequested&) const { return Result::kCancelRequested; }
  Result operator()(const ChargeCreated&) const { return Result::kNone; }
  Result operator()(const ChargeCodeSet&) const { return Result::kNone; }
  Result operator()(const ChargeCancelDropped&) const { return Result::kNone; }
  Result operator()(const ChargeRefunded&) const { return Result::kNone; }
  Result operator()(const RefundRequested&) const { return Result::kNone; }
  Result operator()(const RefundDone&) const { return Result::kNone; }
  Result operator()(const RefundFailed&) const { return Result::kNone; }
  Result operator()(const PaymentReversed&) const { return Result::kNone; }
  Result operator()(const PaymentLeftUnapplied&) const { return Result::kNone; }
  Result operator()(const UnappliedPaymentAdded&) const { return Result::kNone; }
  Result operator()(const UnappliedPaymentReturned&) const { return Result::kNone; }
  Result operator()(const UnappliedReturnRequested&) const { return Result::kNone; }
  Result operator()(const UnappliedReturnFailed&) const { return Result::kNone; }
  Result operator()(const UnappliedPaymentReversed&) const { return Result::kNone; }
};

struct WebhooksOf {
  const Charge& after;
  using Result = std::vector<WebhookEvent>;

  // A charge that awaits its code is announced together with the code.
  Result operator()(const ChargeCreated& event) const {
    if (event.code_awaited_until) return {};
    return {WebhookEvent::kTransactionCreated};
  }
  Result operator()(const ChargeCodeSet&) const { return {WebhookEvent::kTransactionCreated}; }
  Result operator()(const ChargePaid&) const { return {WebhookEvent::kTransactionPaid}; }
  Result operator()(const ChargeProcessingStarted&) const { return {}; }
  Result operator()(const ChargeExpired&) const { return {WebhookEvent::kTransactionExpired}; }
  Result operator()(const ChargeCancelled&) const { return {WebhookEvent::kTransactionCancelled}; }
  Result operator()(const ChargeCancelRequested&) const { return {}; }
  Result operator()(const ChargeCancelDropped&) const { return {}; }
  // A charge without a code was never announced.
  Result operator()(const ChargeFailed&) const {
    if (after.code_awaited_until) return {};
    return {WebhookEvent::kTransactionFailed};
  }
  Result operator()(const ChargeRefunded&) const { return refunded(); }
  Result operator()(const RefundRequested&) const { return {}; }
  Result operator()(const RefundDone&) const { return refunded(); }
  Result operator()(const RefundFailed&) const { return {}; }
  Result operator()(const PaymentReversed&) const { return refunded(); }
  Result operator()(const PaymentLeftUnapplied&) const { return {WebhookEvent::kPaymentUnapplied}; }
  Result operator()(const UnappliedPaymentAccepted&) const {
    return {WebhookEvent::kTransactionPaid, WebhookEvent::kPaymentSettled};
  }
  // The charge was paid before: a second "paid" webhook could make the merchant ship twice.
  Result operator()(const UnappliedPaymentAdded&) const { return {WebhookEvent::kPaymentSettled}; }
  Result operator()(const UnappliedPaymentReturned&) const { return {WebhookEvent::kPaymentSettled}; }
  Result operator()(const UnappliedReturnRequested&) const { return {}; }
  Result operator()(const UnappliedReturnFailed&) const { return {}; }
  Result operator()(const UnappliedPaymentReversed&) const { return {}; }

 private:
  Result refunded() const {
    return {after.status == ChargeStatus::kRefunded ? WebhookEvent::kTransactionRefunded
                                                    : WebhookEvent::kTransactionPartiallyRefunded};
  }
};

}  // namespace

std::string_view to_string(ChargeStatus status) { return kChargeStatusNames.of(status); }

std::optional<ChargeStatus> parse_charge_status(std::string_view text) {
  return kChargeStatusNames.parse(text);
}

std::string_view to_string(PaymentFlag flag) { return kPaymentFlagNames.of(flag); }

std::string_view to_string(RefundStatus status) { return kRefundStatusNames.of(status); }

std::string_view to_string(RefundOrigin origin) {
  return origin == RefundOrigin::kBank ? "bank" : "merchant";
}

Cents pending_refunds(const Charge& charge) {
  Cents pending(0);
  for (const auto& refund : charge.refund_list)
    if (refund.status == RefundStatus::kPending) pending = pending + refund.amount;
  return pending;
}

bool is_overdue(const Charge& charge, Timestamp now) {
  return charge.status == ChargeStatus::kWaitingPayment && now >= charge.expires_at;
}

std::vector<WebhookEvent> webhook_events_of(const ChargeEvent& event, const Charge& after) {
  return std::visit(WebhooksOf{after}, event);
}

PaymentEffect payment_effect_of(const ChargeEvent& event) { return std::visit(PaymentEffectOf(), event); }

std::optional<DoneRefund> refund_done_by(const ChargeEvent& event, const Charge& after) {
  if (const auto* made = std::get_if<ChargeRefunded>(&event)) return DoneRefund{made->amount, made->reason};
  if (const auto* reversed = std::get_if<PaymentReversed>(&event))
    return DoneRefund{reversed->amount, std::nullopt};
  const auto* done = std::get_if<RefundDone>(&event);
  if (!done) return std::nullopt;
  for (const auto& refund : after.refund_list)
    if (refund.id == done->id) return DoneRefund{refund.amount, refund.reason};
  return std::nullopt;
}

std::optional<Charge> apply(std::optional<Charge> charge, const ChargeEvent& event, Timestamp at) {
  if (const auto* first = std::get_if<ChargeCreated>(&event)) return created(*first, at);
  if (!charge) return std::nullopt;
  std::visit(ChangeCharge{*charge, at}, event);
  charge->updated_at = at;
  return charge;
}

namespace {

std::vector<CountedPayment> payments_of(const Charge& charge) {
  std::vector<CountedPayment> payments;
  if (!charge.payment) return payments;
  payments.push_back({.payment = *charge.payment});
  for (const auto& added : charge.added) {
    auto& first = payments.front().payment;
    first.amount = first.amount - added.amount;
    if (first.fee) first.fee = *first.fee - added.fee.value_or(Cents(0));
    payments.push_back({.payment = added});
  }
  return payments;
}

bool is_by_hand(const Charge& charge, const Refund& refund) {
  return !charge.through_bank && refund.origin == RefundOrigin::kMerchant;
}

}  // namespace

const EndToEndId& payment_of(const Charge& charge, const std::optional<EndToEndId>& added) {
  assert(charge.payment);
  return added ? *added : charge.payment->end_to_end_id;
}

std::vector<CountedPayment> counted_payments(const Charge& charge) {
  auto payments = payments_of(charge);
  Cents by_hand(0);
  for (const auto& refund : charge.refund_list) {
    if (refund.status == RefundStatus::kFailed || payments.empty()) continue;
    if (is_by_hand(charge, refund)) {
      by_hand = by_hand + refund.amount;
      continue;
    }
    for (auto& counted : payments) {
      if (counted.payment.end_to_end_id != payment_of(charge, refund.payment)) continue;
      auto& sum = refund.status == RefundStatus::kDone ? counted.gone_back : counted.pending;
      sum = sum + refund.amount;
    }
  }
  for (auto& counted : payments) {
    counted.by_hand = std::max(Cents(0), std::min(by_hand, counted.left()));
    by_hand = by_hand - counted.by_hand;
  }
  return payments;
}

std::optional<CountedPayment> counted_payment(const Charge& charge, const EndToEndId& payment) {
  for (auto& counted : counted_payments(charge))
    if (counted.payment.end_to_end_id == payment) return std::move(counted);
  return std::nullopt;
}

const Refund* find_refund(const Charge& charge, const RefundId& id) {
  const auto found = std::find_if(charge.refund_list.begin(), charge.refund_list.end(),
                                  [&](const Refund& refund) { return refund.id == id; });
  return found == charge.refund_list.end() ? nullptr : &*found;
}
Refund* find_refund(Charge& charge, const RefundId& id) {
  return const_cast<Refund*>(find_refund(std::as_const(charge), id));
}

}  // namespace pixledger::domain
