#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cents.h"
#include "domain/values/names.h"

namespace pixledger::domain {

// The numbers are stored in read models; the texts are the API's.
enum class RefundStatus : std::uint8_t {
  kPending = 0,  // the bank has not confirmed the return yet
  kDone = 1,
  kFailed = 2,  // the money stays: its amount may be refunded again
};
enum class RefundOrigin : std::uint8_t {
  kMerchant = 0,
  kBank = 1,  // a special return (MED), or one made at the bank
};
std::string_view to_string(RefundStatus status);
std::string_view to_string(RefundOrigin origin);

// Money of a charge's payment that was or should be returned.
struct Refund {
  RefundId id;
  Cents amount;
  RefundStatus status;
  RefundOrigin origin;
  Timestamp requested_at;
  std::optional<Timestamp> settled_at{};
  std::optional<Label> reason{};  // personal: stored apart from rows, where erasure finds it
  // Absent: the first payment or, if no bank moves the money, all payments.
  std::optional<EndToEndId> payment{};

  static constexpr auto fields(auto with) {
    return with(field("id", &Refund::id), field("amountCents", &Refund::amount),
                field("status", &Refund::status), field("origin", &Refund::origin),
                field("requestedAt", &Refund::requested_at), field("settledAt", &Refund::settled_at),
                passing_field("reason", &Refund::reason), field("endToEndId", &Refund::payment));
  }
};

// All or part of an unapplied payment that its bank returned on its own initiative.
struct ReversedPart {
  RefundId id;  // the devolução's
  ReturnId return_id;
  Cents amount;
  Timestamp reversed_at;  // as the bank says

  static constexpr auto fields(auto with) {
    return with(field("id", &ReversedPart::id), field("returnId", &ReversedPart::return_id),
                field("amountCents", &ReversedPart::amount), field("reversedAt", &ReversedPart::reversed_at));
  }
};

// Whether a return was already counted. Compares the devolução's id and the payment system's return id,
// because banks may report one return under two ids.
inline bool has_counted(const std::vector<ReversedPart>& parts, const RefundId& id, const ReturnId& name) {
  for (const auto& part : parts)
    if (part.id == id || part.return_id == name) return true;
  return false;
}

inline Cents sum_of(const std::vector<ReversedPart>& parts) {
  Cents sum(0);
  for (const auto& part : parts) sum = sum + part.amount;
  return sum;
}

}  // namespace pixledger::domain
