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

// The API said no: to the key, or to what was asked. The text is its own.
class ApiRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nobody answered, or the answer was to come back later.
class ApiUnavailable : public std::runtime_error {
 public:
  explicit ApiUnavailable(const std::string& problem, std::chrono::seconds pause = std::chrono::seconds(1))
      : runtime_error(problem), pause_(pause) {}
  std::chrono::seconds pause() const { return pause_; }  // before it is asked again

 private:
  std::chrono::seconds pause_;
};

// What the feed was asked to go on after was cut off by a restore.
class ApiCursorCutOff : public std::runtime_error {
 public:
  ApiCursorCutOff(const std::string& problem, std::string resume_after)
      : runtime_error(problem), resume_after_(std::move(resume_after)) {}
  const std::string& resume_after() const { return resume_after_; }

 private:
  std::string resume_after_;
};

// Asks pixledger's API, as a merchant does. Used by one thread; the resolver outlives it.
class ApiClient {
 public:
  // `url`: the API's, without the path of any operation, such as https://pix.example.com. `ca_file`:
  // certificates to trust beyond the system's, PEM; empty: none. Throws UsageError for what is no such
  // address or no key, and Poco::Exception when the file cannot be read.
  ApiClient(const std::string& url, std::string key, const std::string& ca_file, const Resolver& resolver);

  // The answer's body. `target` is the path with the query, such as /api/v1/store. Throws the above,
  // UsageError where the key would be readable on its way, and std::runtime_error where no such API answers.
  std::string get(const std::string& target);

 private:
  struct Answer {
    int status = 0;
    std::string location;
    std::string retry_after;
    std::string body;
  };

  PinnedTarget pinned() const;
  Answer ask(const std::string& target);
  Answer exchange(std::unique_ptr<TargetConnection> connection, const std::string& target);
  [[noreturn]] void refuse(const Answer& answer) const;

  const std::string shown_;  // the address without a slash at its end
  WebhookUrl url_;
  const std::string key_;
  const Resolver& resolver_;
  DeadlineWatch watch_;
  ConnectionPool pool_;
};

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

// What WebhookForwarder does with the ledger at hand, with the API's events alone: each is found in the
// receipt of its charge, and its webhook is made of that, with the customer as they are now. Webhooks about
// the store are not among them, since no receipt tells of it. Used by one thread; what it is given outlives
// it.
class FeedForwarder {
 public:
  // Events from `since` on; absent: those that come from now on.
  FeedForwarder(MerchantApi& api, workers::ForwardingTarget& target, std::optional<Timestamp> since)
      : api_(api), target_(target), since_(since) {}

  // Finds where to begin. Throws where nothing could be forwarded: what MerchantApi throws.
  void begin();

  // Forwards the next event, all that it tells, or passes over those that are not meant, or waits a second
  // for one; false when it was stopped. An event that gets any answer is done with. What MerchantApi throws
  // leaves everything as it was, to be tried again; after ApiCursorCutOff it goes on where that says.
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
  std::size_t next_ = 0;  // of the items
  // Of the charges whose events of this moment have been forwarded, the version of the last one: events of
  // one charge may share both kind and moment.
  Timestamp moment_{};
  std::map<domain::ChargeId, std::uint32_t> told_;
};

}  // namespace pixledger::tools
