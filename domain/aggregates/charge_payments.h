#pragma once

#include <algorithm>

#include "domain/aggregates/charge.h"

namespace pixledger::domain {

// Whether a payment of which `is_it` is true arrived for the charge: paid it, was kept aside, or has gone
// back since.
template <class IsIt>
bool has_payment(const Charge& charge, const IsIt& is_it) {
  return (charge.payment && is_it(charge.payment->end_to_end_id)) ||
         std::any_of(charge.unapplied.begin(), charge.unapplied.end(),
                     [&](const auto& payment) { return is_it(payment.end_to_end_id); }) ||
         std::any_of(charge.returned.begin(), charge.returned.end(),
                     [&](const auto& payment) { return is_it(payment.end_to_end_id); });
}

inline bool has_payment(const Charge& charge, const EndToEndId& payment) {
  return has_payment(charge, [&payment](const EndToEndId& other) { return other == payment; });
}

}  // namespace pixledger::domain
