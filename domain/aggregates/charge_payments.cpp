#include "domain/aggregates/charge_payments.h"

#include <cassert>

namespace pixledger::domain {
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

}  // namespace pixledger::domain
