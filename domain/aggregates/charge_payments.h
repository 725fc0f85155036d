#pragma once

#include <algorithm>
#include <vector>

#include "domain/aggregates/charge.h"

namespace pixledger::domain {

// One of the payments that count for a charge, and what has gone back of it.
struct CountedPayment {
  Payment payment;
  Cents gone_back{0};  // through its bank
  Cents pending{0};
  // Of what was refunded by other hands, which names no payment: it is taken from the first that has so much
  // left, and so on.
  Cents by_hand{0};

  Cents left() const { return payment.amount - gone_back - pending - by_hand; }
};

// The first payment first; none where the charge is not paid.
std::vector<CountedPayment> counted_payments(const Charge& charge);

// Of that end-to-end id; nullopt where it does not count for the charge.
std::optional<CountedPayment> counted_payment(const Charge& charge, const EndToEndId& payment);

// The payment that a refund of a charge is of, as its bank knows it. Asserts that the charge is paid.
const EndToEndId& payment_of(const Charge& charge, const std::optional<EndToEndId>& added);

// Whether a payment of which `is_it` is true arrived for the charge: paid it, was kept aside, or has gone
// back since.
template <class IsIt>
bool has_payment(const Charge& charge, const IsIt& is_it) {
  const auto is_among = [&is_it](const auto& payments) {
    return std::any_of(payments.begin(), payments.end(),
                       [&](const auto& payment) { return is_it(payment.end_to_end_id); });
  };
  return (charge.payment && is_it(charge.payment->end_to_end_id)) || is_among(charge.added) ||
         is_among(charge.unapplied) || is_among(charge.returned);
}

inline bool has_payment(const Charge& charge, const EndToEndId& payment) {
  return has_payment(charge, [&payment](const EndToEndId& other) { return other == payment; });
}

// nullptr where none of them has the id.
inline const UnappliedPayment* find_payment(const std::vector<UnappliedPayment>& payments,
                                            const EndToEndId& id) {
  const auto found = std::find_if(payments.begin(), payments.end(), [&](const UnappliedPayment& payment) {
    return payment.end_to_end_id == id;
  });
  return found == payments.end() ? nullptr : &*found;
}

}  // namespace pixledger::domain
