#pragma once

#include <optional>
#include <string>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"

namespace pixledger::stores {

// The payment that an event of a charge keeps aside or settles; of other events none. `before` is the charge
// without the event. Throws LogCorrupt when a payment is settled that it does not have.
std::optional<domain::UnappliedPayment> payment_told(const domain::ChargeEvent& event, Timestamp recorded_at,
                                                     const domain::Charge& before);

// Everything that the body of a webhook about a charge is made of: the streams as they were at the event's
// position.
struct WebhookFacts {
  domain::WebhookEvent event;
  const std::string& event_id;  // the feed's
  Timestamp occurred_at;
  const domain::ChargeEvent& recorded;
  const domain::Charge& charge;             // with the event applied
  const domain::UnappliedPayment* payment;  // that the event is about, where it was kept aside; else nullptr
  const domain::CustomerDetails* customer;  // nullptr when the personal data has been erased
};

// The exact bytes to sign and send; docs/WEBHOOKS.md shows them. Pure, so each attempt sends the same bytes.
std::string webhook_body(const WebhookFacts& facts, domain::WebhookVersion version);

// What a webhook about a store says, which there is in v2 alone.
struct StoreWebhookFacts {
  const std::string& event_id;
  Timestamp occurred_at;
  const domain::ProjectId& project;
  const domain::StoreSettings& before;
  const domain::StoreSettings& after;
};
std::string store_webhook_body(const StoreWebhookFacts& facts);

// What a test says, which is about no transaction.
struct WebhookTestFacts {
  const std::string& event_id;
  const domain::ChannelId& channel;
  Timestamp requested_at;
  domain::Environment environment;
};
std::string webhook_test_body(const WebhookTestFacts& facts, domain::WebhookVersion version);

}  // namespace pixledger::stores
