#pragma once

#include <cstdint>

namespace pixledger::domain {

// Money that arrived but could not simply pay its charge. Stored by number.
enum class PaymentFlag : std::uint8_t {
  kPaidAfterExpiry = 1,
  kPaidAfterClose = 2,
  kDuplicatePayment = 3,
  kAmountMismatch = 4,
};

}  // namespace pixledger::domain
