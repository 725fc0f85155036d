#include "http/api/checkout/session_states.h"

#include <variant>

#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::http {
namespace {

// Personal data that an erasure removes from the ledger, and that cached states may still hold.
bool is_personal(const domain::CheckoutSession& session) { return !session.metadata.empty(); }
bool is_personal(const domain::Charge& charge) {
  return !charge.metadata.empty() || !charge.refund_list.empty();
}

template <class Aggregate>
std::shared_ptr<const Aggregate> find(const Services& services, Head as_of,
                                      const domain::StreamName& stream) {
  auto state = services.states.find(stream, as_of);
  const auto* found = state ? std::get_if<Aggregate>(state.get()) : nullptr;
  if (!found) return nullptr;
  if (!is_personal(*found)) return {std::move(state), found};
  auto now = eventstore::fold_as<Aggregate>(services.log, stream);
  return now ? std::make_shared<const Aggregate>(*std::move(now)) : nullptr;
}

}  // namespace

std::shared_ptr<const domain::CheckoutSession> find_checkout(const Services& services, Head as_of,
                                                             const domain::CheckoutSessionId& id) {
  return find<domain::CheckoutSession>(services, as_of, domain::checkout_stream(id));
}

std::shared_ptr<const domain::Charge> find_charge(const Services& services, Head as_of,
                                                  const domain::ChargeId& id) {
  return find<domain::Charge>(services, as_of, domain::charge_stream(id));
}

}  // namespace pixledger::http
