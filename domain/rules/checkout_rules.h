#pragma once

#include "domain/aggregates/event.h"
#include "domain/rules/rule_list.h"

namespace pixledger::domain {

// Why an event may not come next in its checkout session's stream; nothing when it may.
Problem broken_checkout_rule(const CheckoutSession* session, const RecordedEvent& recorded,
                             const CheckoutEvent& event);

}  // namespace pixledger::domain
