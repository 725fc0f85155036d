#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/net/deadline_watch.h"
#include "base/net/http_client.h"
#include "base/net/resolver.h"
#include "base/platform/time_zone.h"
#include "base/values/webhook_url.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "workers/webhooks/forwarding.h"

namespace pixledger::tools {

// The API rejected the key or the request. The text is the API's.
class ApiRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The API did not answer, or asked to retry later.
class ApiUnavailable : public std::runtime_error {
 public:
  explicit ApiUnavailable(const std::string& problem, std::chrono::seconds pause = std::chrono::seconds(1))
      : runtime_error(problem), pause_(pause) {}
  std::chrono::seconds pause() const { return pause_; }  // before the next request

 private:
  std::chrono::seconds pause_;
};

// The cursor was cut off by a restore.
class ApiCursorCutOff : public std::runtime_error {
 public:
  ApiCursorCutOff(const std::string& problem, std::string resume_after)
      : runtime_error(problem), resume_after_(std::move(resume_after)) {}
  const std::string& resume_after() const { return resume_after_; }

 private:
  std::string resume_after_;
};

// `target` is the path with the query, such as /api/v1/store. With an Idempotency-Key, or as GET, it is sent
// again if a kept connection closes before the answer begins.
struct ApiRequest {
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers = {};  // beside Authorization
  std::string_view body = {};
};

// A client of pixledger's API, as a merchant's. Used by one thread; the resolver outlives it.
class ApiClient {
 public:
  // `url`: the API's, without the path of any operation, such as https://pix.example.com. `ca_file`:
  // certificates to trust beyond the system's, PEM; empty: none. Throws UsageError if the URL or the key is
  // invalid, and Poco::Exception if the file is unreadable.
  ApiClient(const std::string& url, std::string key, const std::string& ca_file, const Resolver& resolver);

  // Returns the complete answer, of any status. Throws ApiUnavailable, and UsageError if others could read
  // the key on its way.
  IncomingAnswer send(const ApiRequest& request);

  // Returns the body of a successful answer. Throws what send() throws, the above, and std::runtime_error if
  // the answer is not this API's.
  std::string get(const std::string& target);

 private:
  PinnedTarget pinned(const std::string& target) const;
  [[noreturn]] void refuse(const IncomingAnswer& answer) const;

  const std::string shown_;  // the address without a slash at its end
  const WebhookUrl url_;
  const std::string key_;
  const Resolver& resolver_;
  DeadlineWatch watch_;
  HttpClient client_;
};

// An event of the API's feed: what is needed to find it in the receipt of its charge.
struct FeedItem {
  std::string id;
  std::string event;  // "transaction.paid"
  std::optional<domain::ChargeId> charge;
  Timestamp occurred_at;
};
struct FeedPage {
  std::vector<FeedItem> items;
  std::string next;  // the cursor for the next page
};

// What a merchant's key can read of a project. All calls throw what ApiClient::get throws, and
// std::runtime_error for answers that are not the API's. Used by one thread; the client outlives it.
class MerchantApi {
 public:
  explicit MerchantApi(ApiClient& client) : client_(client) {}

  // Throws ApiRefused if the key lacks the scope of any call below.
  void check_scopes();

  // The store's time zone. Throws UsageError if this machine does not know it.
  TimeZone zone();

  // `after`: a cursor, "now", or empty for the beginning. Waits at most a second for the first event.
  FeedPage events(const std::string& after, std::size_t limit);

  // The events of a charge in their order; all of them are of charges.
  std::vector<domain::RecordedEvent> charge_events(const domain::ChargeId& id);

  // The customer's current details; nullopt if they were erased.
  std::optional<domain::CustomerDetails> customer(const domain::CustomerId& id);

 private:
  ApiClient& client_;
};

// Does what WebhookForwarder does with a local ledger, using only the API's events. Finds each event in the
// receipt of its charge and makes its webhook from that, with the customer's current details. Omits webhooks
// about the store, which are in no receipt. Used by one thread; its parameters outlive it.
class FeedForwarder {
 public:
  // Forwards events from `since` on; absent: only new ones.
  FeedForwarder(MerchantApi& api, workers::ForwardingTarget& target, std::optional<Timestamp> since)
      : api_(api), target_(target), since_(since) {}

  // Finds where to begin. Throws what MerchantApi throws if nothing could be forwarded.
  void begin();

  // Forwards all webhooks of the next event, or skips events that are not wanted, or waits a second for one.
  // Returns false if it was stopped. Any answer completes an event. What MerchantApi throws changes nothing,
  // so the call can be retried; after ApiCursorCutOff it goes on where that says.
  bool step(const workers::ForwardingTarget::Report& report, const workers::ForwardingTarget::Stop& stop);

 private:
  struct Webhook {
    stores::Delivery delivery;
    std::string body;
  };

  void read_page();
  bool forward(const FeedItem& item, const workers::ForwardingTarget::Report& report,
               const workers::ForwardingTarget::Stop& stop);
  std::vector<Webhook> webhooks_of(const FeedItem& item, const std::vector<domain::RecordedEvent>& events,
                                   std::size_t which);
  std::size_t find(const FeedItem& item, const std::vector<domain::RecordedEvent>& events) const;

  MerchantApi& api_;
  workers::ForwardingTarget& target_;
  const std::optional<Timestamp> since_;
  std::string cursor_;
  std::vector<FeedItem> items_;
  std::size_t next_ = 0;  // into the items
  // The version of the last forwarded event, for each charge with events of this moment: events of one charge
  // may share both kind and moment.
  Timestamp moment_{};
  std::map<domain::ChargeId, std::uint32_t> told_;
};

}  // namespace pixledger::tools
