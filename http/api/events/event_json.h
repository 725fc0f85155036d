#pragma once

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/json.h"

namespace pixledger::http {

// The members event, transactionId, customerId, occurredAt and data, into the object that is open. What an
// event does not say itself (whose charge it is, whether a refund was the last) comes from its stream as of
// the event, so an event always looks the same but for erased personal data, which is null. Secrets and the
// hashes of keys are not shown.
void write_event(eventstore::Json& json, const eventstore::Log& log, const domain::RecordedEvent& event);

}  // namespace pixledger::http
