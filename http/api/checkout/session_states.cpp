#include "http/api/checkout/session_states.h"

#include <variant>

#include "eventstore/reading/state_reader.h"

namespace pixledger::http {
namespace {

template <class Aggregate>
std::shared_ptr<const Aggregate> find(const Services& services, eventstore::Head as_of,
                                      const domain::StreamName& stream) {
  auto state = services.states.find(stream, as_of);
  const auto* found = state ? std::get_if<Aggregate>(state.get()) : nullptr;
  if (!found) return nullptr;
  return {std::move(state), found};
}

}  // namespace

std::shared_ptr<const domain::CheckoutSession> find_checkout(const Services& services, eventstore::Head as_of,
                                                             const domain::CheckoutSessionId& id) {
  return find<domain::CheckoutSession>(services, as_of, domain::checkout_stream(id));
}

std::shared_ptr<const domain::Charge> find_charge(const Services& services, eventstore::Head as_of,
                                                  const domain::ChargeId& id) {
  return find<domain::Charge>(services, as_of, domain::charge_stream(id));
}

}  // namespace pixledger::http
