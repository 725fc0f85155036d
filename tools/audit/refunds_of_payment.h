#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "domain/aggregates/charge.h"

namespace pixledger::tools {

// Of a payment that counts for a charge: which events tell what has gone back of it. What names no payment is
// of the first, or, by other hands, of all of them.
class RefundsOfPayment {
 public:
  explicit RefundsOfPayment(const domain::EndToEndId& payment) : payment_(payment) {}

  bool holds(const domain::ChargeEvent& event) {
    if (const auto* paid = std::get_if<domain::ChargePaid>(&event)) note(paid->end_to_end_id, true);
    if (const auto* accepted = std::get_if<domain::UnappliedPaymentAccepted>(&event))
      note(accepted->end_to_end_id, true);
    if (const auto* added = std::get_if<domain::UnappliedPaymentAdded>(&event))
      note(added->end_to_end_id, false);
    if (std::holds_alternative<domain::ChargeRefunded>(event)) return counts_;
    if (const auto* reversed = std::get_if<domain::PaymentReversed>(&event))
      return is_its(reversed->end_to_end_id);
    if (const auto* requested = std::get_if<domain::RefundRequested>(&event)) {
      if (!is_its(requested->end_to_end_id)) return false;
      refunds_.insert(requested->id.text());
      return true;
    }
    if (const auto* done = std::get_if<domain::RefundDone>(&event)) return refunds_.contains(done->id.text());
    const auto* failed = std::get_if<domain::RefundFailed>(&event);
    return failed && refunds_.contains(failed->id.text());
  }

 private:
  void note(const domain::EndToEndId& counted, bool is_first) {
    if (counted != payment_) return;
    counts_ = true;
    is_first_ = is_first;
  }
  bool is_its(const std::optional<domain::EndToEndId>& added) const {
    return added ? *added == payment_ : is_first_;
  }

  const domain::EndToEndId& payment_;
  bool counts_ = false;
  bool is_first_ = false;
  std::set<std::string> refunds_;
};

}  // namespace pixledger::tools
