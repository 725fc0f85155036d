#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/feed/api_client.h"
#include "workers/webhooks/forwarding.h"

namespace pixledger::tools {

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
