#include "domain/aggregates/unmatched_payment.h"

#include <utility>

#include "base/text/enum_names.h"

namespace pixledger::domain {
namespace {

constexpr EnumNames<UnmatchedReason::kNoTxid, UnmatchedReason::kBeforeCharge> kReasonNames{
    "no_txid",           "unknown_transaction", "other_project",
    "other_environment", "not_through_bank",    "before_transaction"};
constexpr EnumNames<UnmatchedState::kOpen, UnmatchedState::kReturned> kStateNames{
    "open", "assigned", "closed", "returning", "returned"};

UnmatchedPayment unmatched(const PaymentUnmatched& event, Timestamp at) {
  auto payment = made_of_same_fields<UnmatchedPayment>(event);
  payment.state = UnmatchedState::kOpen;
  payment.recorded_at = payment.updated_at = at;
  return payment;
}

// Applies every event but the first, and requires an existing payment.
struct ChangePayment {
  UnmatchedPayment& payment;

  void operator()(const PaymentUnmatched&) const {}
  void operator()(const PaymentAssigned& event) const {
    payment.state = UnmatchedState::kAssigned;
    payment.charge = event.charge;
  }
  void operator()(const PaymentClosed& event) const {
    payment.state = UnmatchedState::kClosed;
    payment.close_reason = event.reason;
  }
  void operator()(const PaymentReturnRequested& event) const {
    payment.state = UnmatchedState::kReturning;
    payment.return_id = event.id;
    payment.close_reason = event.reason;
    payment.return_failure.reset();
  }
  void operator()(const PaymentReturned& event) const {
    payment.state = UnmatchedState::kReturned;
    payment.return_id = event.id;
    payment.returned_at = event.returned_at;
  }
  void operator()(const PaymentReturnFailed& event) const {
    payment.state = UnmatchedState::kOpen;
    payment.return_failure = event.reason;
    payment.close_reason.reset();
  }
  void operator()(const UnmatchedPaymentReversed& event) const {
    payment.reversed.push_back({event.id, event.return_id, event.amount, event.reversed_at});
  }
};

}  // namespace

std::string_view to_string(UnmatchedReason reason) { return kReasonNames.of(reason); }

std::string_view to_string(UnmatchedState state) { return kStateNames.of(state); }

StreamName payment_stream(const EndToEndId& id) { return *StreamName::parse("payment-" + id.text()); }

std::optional<UnmatchedPayment> apply(std::optional<UnmatchedPayment> payment, const PaymentEvent& event,
                                      Timestamp at) {
  if (const auto* first = std::get_if<PaymentUnmatched>(&event)) return unmatched(*first, at);
  if (!payment) return std::nullopt;
  std::visit(ChangePayment{*payment}, event);
  payment->updated_at = at;
  return payment;
}

}  // namespace pixledger::domain
