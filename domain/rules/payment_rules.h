#pragma once

#include "domain/aggregates/event.h"
#include "domain/rules/rule_list.h"

namespace pixledger::domain {

// As broken_rule, of the events of a payment that fitted no charge; nullptr before the first.
Problem broken_payment_rule(const UnmatchedPayment* payment, const RecordedEvent& recorded,
                            const PaymentEvent& event);

}  // namespace pixledger::domain
