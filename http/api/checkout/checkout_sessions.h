#pragma once

#include <memory>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "eventstore/log/log.h"
#include "http/services/services.h"

namespace pixledger::http {

// A checkout session or one of its charges, as of a head such as the caller's arrival. Null if unknown.
std::shared_ptr<const domain::CheckoutSession> find_checkout(const Services& services, Head as_of,
                                                             const domain::CheckoutSessionId& id);
std::shared_ptr<const domain::Charge> find_charge(const Services& services, Head as_of,
                                                  const domain::ChargeId& id);

}  // namespace pixledger::http
