#include "domain/aggregates/charge.h"

#include <algorithm>

namespace pixledger::domain {
namespace {

auto find_unapplied(Charge& charge, const EndToEndId& id) {
  return std::find_if(charge.unapplied.begin(), charge.unapplied.end(),
                      [&](const UnappliedPayment& payment) { return payment.end_to_end_id == id; });
}

// Every event but the first finds the charge it changes; the caller guarantees it.
struct Change {
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
  void operator()(const ChargeCancelled&) const { charge.status = ChargeStatus::kCancelled; }
  void operator()(const ChargeFailed&) const {
    charge.status = ChargeStatus::kFailed;
    charge.failed_at = at;
  }
  void operator()(const ChargeRefunded& event) const {
    charge.refunded = charge.refunded + event.amount;
    ++charge.refunds;
    if (!charge.payment || charge.refunded < charge.payment->amount) return;
    charge.status = ChargeStatus::kRefunded;
    charge.refunded_at = at;
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
  void operator()(const UnappliedPaymentReturned& event) const {
    const auto found = find_unapplied(charge, event.end_to_end_id);
    if (found == charge.unapplied.end()) return;
    charge.returned.push_back(std::move(*found));
    charge.unapplied.erase(found);
  }
};

Charge created(const ChargeCreated& event, Timestamp at) {
  return {.id = event.id,
          .project = event.project,
          .environment = event.environment,
          .customer = event.customer,
          .connection = event.connection,
          .external_id = event.external_id,
          .amount = event.amount,
          .product = event.product,
          .quantity = event.quantity,
          .origin_host = event.origin_host,
          .expires_at = event.expires_at,
          .pix_code = event.pix_code,
          .created_at = at,
          .updated_at = at,
          .metadata = event.metadata.value_or(Metadata())};
}

struct WebhooksOf {
  const Charge& after;
  using Result = std::vector<WebhookEvent>;

  Result operator()(const ChargeCreated&) const { return {WebhookEvent::kTransactionCreated}; }
  Result operator()(const ChargePaid&) const { return {WebhookEvent::kTransactionPaid}; }
  Result operator()(const ChargeProcessingStarted&) const { return {}; }
  Result operator()(const ChargeExpired&) const { return {WebhookEvent::kTransactionExpired}; }
  Result operator()(const ChargeCancelled&) const { return {WebhookEvent::kTransactionCancelled}; }
  Result operator()(const ChargeFailed&) const { return {WebhookEvent::kTransactionFailed}; }
  Result operator()(const ChargeRefunded&) const {
    return {after.status == ChargeStatus::kRefunded ? WebhookEvent::kTransactionRefunded
                                                    : WebhookEvent::kTransactionPartiallyRefunded};
  }
  Result operator()(const PaymentLeftUnapplied&) const { return {WebhookEvent::kPaymentUnapplied}; }
  Result operator()(const UnappliedPaymentAccepted&) const {
    return {WebhookEvent::kTransactionPaid, WebhookEvent::kPaymentSettled};
  }
  Result operator()(const UnappliedPaymentReturned&) const { return {WebhookEvent::kPaymentSettled}; }
};

}  // namespace

std::string_view to_string(ChargeStatus status) {
  switch (status) {
    case ChargeStatus::kWaitingPayment:
      return "waiting_payment";
    case ChargeStatus::kProcessing:
      return "processing";
    case ChargeStatus::kPaid:
      return "paid";
    case ChargeStatus::kExpired:
      return "expired";
    case ChargeStatus::kCancelled:
      return "cancelled";
    case ChargeStatus::kRefunded:
      return "refunded";
    case ChargeStatus::kFailed:
      return "failed";
  }
  return "unknown";
}

std::string_view to_string(PaymentFlag flag) {
  switch (flag) {
    case PaymentFlag::kPaidAfterExpiry:
      return "PAID_AFTER_EXPIRY";
    case PaymentFlag::kPaidAfterClose:
      return "PAID_AFTER_CLOSE";
    case PaymentFlag::kDuplicatePayment:
      return "DUPLICATE_PAYMENT";
    case PaymentFlag::kAmountMismatch:
      return "AMOUNT_MISMATCH";
  }
  return "UNKNOWN";
}

bool is_overdue(const Charge& charge, Timestamp now) {
  return charge.status == ChargeStatus::kWaitingPayment && now >= charge.expires_at;
}

std::vector<WebhookEvent> webhook_events_of(const ChargeEvent& event, const Charge& after) {
  return std::visit(WebhooksOf{after}, event);
}

std::optional<Charge> apply(std::optional<Charge> charge, const ChargeEvent& event, Timestamp at) {
  if (const auto* first = std::get_if<ChargeCreated>(&event)) return created(*first, at);
  if (!charge) return std::nullopt;
  std::visit(Change{*charge, at}, event);
  charge->updated_at = at;
  return charge;
}

}  // namespace pixledger::domain
