#include "domain/rules/checkout_rules.h"

#include <algorithm>

namespace pixledger::domain {
namespace {

constexpr const char* kNotOpen = "the session was not open";

struct CheckoutRules {
  const CheckoutSession* session;
  const RecordedEvent& recorded;
  Timestamp at = recorded.recorded_at;

  Problem operator()(const CheckoutSessionCreated& event) const {
    return first_broken({{session == nullptr, kNotFirst},
                         {recorded.stream == checkout_stream(event.id), kOtherStream},
                         {event.amount > Cents(0) && event.quantity > 0, "it is of nothing"},
                         {event.expires_at > at, "it had expired before"}});
  }
  Problem operator()(const CheckoutChargeAdded& event) const {
    return first_broken({{is_open() && at < session->expires_at, kNotOpen},
                         {!has(event.charge), "the charge was there already"},
                         {session->charges.size() < kChargesPerCheckoutMax, "it had all it can have"}});
  }
  Problem operator()(const CheckoutSessionCompleted& event) const {
    return first_broken({{has(event.charge), "the charge is none of the session's"}});
  }
  Problem operator()(const CheckoutSessionCancelled&) const { return first_broken({{is_open(), kNotOpen}}); }
  Problem operator()(const CheckoutSessionExpired&) const {
    return first_broken({{is_open(), kNotOpen}, {at >= session->expires_at, "it was not due"}});
  }

 private:
  bool is_open() const { return session->status == CheckoutStatus::kOpen; }
  bool has(const ChargeId& id) const {
    return std::any_of(session->charges.begin(), session->charges.end(),
                       [&](const CheckoutCharge& charge) { return charge.id == id; });
  }
};

}  // namespace

Problem broken_checkout_rule(const CheckoutSession* session, const RecordedEvent& recorded,
                             const CheckoutEvent& event) {
  if (!std::holds_alternative<CheckoutSessionCreated>(event)) {
    if (!session) return kNothingThere;
    if (environment_of(event) != session->environment) return "it is of the other environment";
  }
  return std::visit(CheckoutRules{session, recorded}, event);
}

}  // namespace pixledger::domain
