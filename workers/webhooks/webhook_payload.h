#pragma once

#include <string>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"

namespace pixledger::workers {

// Everything a webhook's body is made of: the streams as they were at the event's position.
struct WebhookFacts {
  domain::WebhookEvent event;
  domain::Timestamp occurred_at;            // when the event was recorded
  const domain::Charge& charge;             // with the event applied
  const domain::CustomerDetails* customer;  // nullptr when the personal data has been erased
};

// The exact bytes to sign and send; docs/WEBHOOKS.md shows them. Pure, so each attempt sends the same bytes.
std::string webhook_body(const WebhookFacts& facts, domain::WebhookVersion version);

// What a test says, which is about no transaction.
struct WebhookTestFacts {
  const domain::ChannelId& channel;
  domain::Timestamp requested_at;
  bool is_sandbox;  // the kind of the key that asked for it
};
std::string webhook_test_body(const WebhookTestFacts& facts, domain::WebhookVersion version);

}  // namespace pixledger::workers
