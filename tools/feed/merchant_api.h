#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/time_zone.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "tools/feed/api_client.h"

namespace pixledger::tools {

// Of the API's feed of events, what is needed to find the event in the receipt of its charge.
struct FeedItem {
  std::string id;
  std::string event;  // "transaction.paid"
  std::optional<domain::ChargeId> charge;
  Timestamp occurred_at;
};
struct FeedPage {
  std::vector<FeedItem> items;
  std::string next;  // the cursor to go on after
};

// What a merchant's key sees of a project. All of these throw what ApiClient::get throws, and
// std::runtime_error for answers that are not the API's. Used by one thread; the client outlives it.
class MerchantApi {
 public:
  explicit MerchantApi(ApiClient& client) : client_(client) {}

  // Throws ApiRefused where the key lacks the scope of any call below.
  void check_scopes();

  // The store's time zone. Throws UsageError if this machine does not know it.
  TimeZone zone();

  // `after`: a cursor, "now", or empty for the beginning. Waits a second at most for the first one.
  FeedPage events(const std::string& after, std::size_t limit);

  // Of a charge, in their order; all of them are of charges.
  std::vector<domain::RecordedEvent> charge_events(const domain::ChargeId& id);

  // As they are now; nullopt when they have been erased.
  std::optional<domain::CustomerDetails> customer(const domain::CustomerId& id);

 private:
  ApiClient& client_;
};

}  // namespace pixledger::tools
