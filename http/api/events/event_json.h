#pragma once

#include <string_view>

#include "base/platform/json.h"
#include "domain/aggregates/event.h"
#include "http/api/common/personal_json.h"
#include "http/api/events/page_states.h"

namespace pixledger::http {

// What the feed calls a refund that leaves something to refund; other events go by the names of their kinds.
inline constexpr std::string_view kPartialRefund = "transaction.partially_refunded";
std::string_view feed_name_of(PageStates& states, const domain::RecordedEvent& event);

// The members event, transactionId, customerId, occurredAt and data, into the object that is open. What an
// event does not say itself (whose charge it is, whether a refund was the last) comes from its stream as of
// the event, so an event always looks the same but for erased personal data, which is null. Secrets and the
// hashes of keys are not shown.
void write_event(Json& json, PageStates& states, const domain::RecordedEvent& event, PersonalData personal);

}  // namespace pixledger::http
