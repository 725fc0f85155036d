#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/platform/json.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/project.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/stream_customers.h"
#include "http/api/common/personal_json.h"

namespace pixledger::http {

// What the events of one page do not say themselves, but their streams do, as of each event. To be asked in
// the order of the positions: each stream is then read and folded once for the page at most. Used by one
// thread; log and customers outlive it.
class PageStates {
 public:
  PageStates(const eventstore::Log& log, eventstore::StreamCustomers& customers)
      : log_(log), customers_(customers) {}

  // The charge with the event, which is one of a charge. Throws LogCorrupt when it was never created. Valid
  // until the next call.
  const domain::Charge& charge_with(const domain::RecordedEvent& event);

  domain::CustomerId customer_of(const domain::RecordedEvent& event) { return customers_.at(event); }

  // The settings that the event, a StoreSettingsChanged, has changed. Throws LogCorrupt when there were none.
  domain::StoreSettings settings_before(const domain::RecordedEvent& event);

 private:
  struct Folded {
    std::optional<domain::Charge> charge;
    std::uint32_t version = 0;
  };

  const eventstore::Log& log_;
  eventstore::StreamCustomers& customers_;
  std::unordered_map<domain::StreamName, Folded> charges_;
  // Of the last event of the page that has changed settings; a page is of one project.
  std::optional<std::pair<std::uint32_t, domain::StoreSettings>> settings_;
};

// What the feed calls a refund that leaves something to refund; other events go by the names of their kinds.
inline constexpr std::string_view kPartialRefund = "transaction.partially_refunded";
std::string_view feed_name_of(PageStates& states, const domain::RecordedEvent& event);

// The members event, transactionId, customerId, occurredAt and data, into the object that is open. What an
// event does not say itself (whose charge it is, whether a refund was the last) comes from its stream as of
// the event, so an event always looks the same but for erased personal data, which is null. Secrets and the
// hashes of keys are not shown.
void write_event(Json& json, PageStates& states, const domain::RecordedEvent& event, PersonalData personal);

}  // namespace pixledger::http
