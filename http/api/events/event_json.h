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

// What the events of a page lack and their streams have, as of each event. Call in the order of positions:
// then each stream is read and folded at most once a page. For one thread; log and customers outlive it.
class PageStates {
 public:
  PageStates(const eventstore::Log& log, eventstore::StreamCustomers& customers)
      : log_(log), customers_(customers) {}

  // The charge as of the event, which must be one of a charge. Throws LogCorrupt if it was never created.
  // Valid until the next call.
  const domain::Charge& charge_with(const domain::RecordedEvent& event);

  domain::CustomerId customer_of(const domain::RecordedEvent& event) { return customers_.at(event); }

  // The settings before the event, a StoreSettingsChanged. Throws LogCorrupt if there were none.
  domain::StoreSettings settings_before(const domain::RecordedEvent& event);

 private:
  struct Folded {
    std::optional<domain::Charge> charge;
    std::uint32_t version = 0;
  };

  const eventstore::Log& log_;
  eventstore::StreamCustomers& customers_;
  std::unordered_map<domain::StreamName, Folded> charges_;
  // After the page's last change of settings; a page is of one project.
  std::optional<std::pair<std::uint32_t, domain::StoreSettings>> settings_;
};

// The feed's name for a refund that leaves an amount to refund; other events have the names of their kinds.
inline constexpr std::string_view kPartialRefund = "transaction.partially_refunded";
std::string_view feed_name_of(PageStates& states, const domain::RecordedEvent& event);

// Writes the members event, transactionId, customerId, occurredAt and data into the open object. What the
// event lacks (its charge, whether a refund was the last) comes from its stream as of the event. So an event
// always looks the same, but erased personal data is null. Secrets and hashes of keys are left out.
void write_event(Json& json, PageStates& states, const domain::RecordedEvent& event, PersonalData personal);

}  // namespace pixledger::http
