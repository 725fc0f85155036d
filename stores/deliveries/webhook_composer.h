#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log_snapshot.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::stores {

// What is sent to a receiver.
struct WebhookPost {
  std::vector<std::pair<std::string, std::string>> headers;  // beside those of HTTP itself
  std::string body;                                          // JSON
};

// What a webhook is signed with: one secret, and during the grace of a rotation those that follow it, the
// newest last. Never empty.
using SigningSecrets = std::vector<std::string>;

// A channel's secrets at that moment. Throws KeyringError when the keyring cannot open them.
SigningSecrets signing_secrets(const domain::Channel& channel, const eventstore::Keyring& keyring,
                               Timestamp now);

// The body of a delivery with the headers of one attempt: 1, 2, 3…
WebhookPost signed_post(std::string body, const Delivery& delivery, const SigningSecrets& secrets,
                        unsigned attempt, Timestamp sent_at);

// From a delivery to what is sent: looks at the streams as of the event for the body. Thread-safe; log and
// keyring outlive it.
class WebhookComposer {
 public:
  // `ended_epochs`: of the log, for the ids of events.
  WebhookComposer(const eventstore::Log& log, const eventstore::Keyring& keyring,
                  std::vector<eventstore::EndedEpoch> ended_epochs)
      : log_(log), keyring_(keyring), ended_epochs_(std::move(ended_epochs)), history_(log), states_(log) {}

  // `attempt`: 1, 2, 3… The signatures and the headers about the sending are fresh, the body is not.
  WebhookPost compose(const Delivery& delivery, const SigningSecrets& secrets, unsigned attempt,
                      Timestamp sent_at);

  // The bytes that all attempts send. Throws LogCorrupt.
  std::string body_of(const Delivery& delivery);

 private:
  std::string charge_body(const Delivery& delivery, const domain::RecordedEvent& event,
                          const std::string& event_id);
  std::string store_body(const domain::RecordedEvent& event, const std::string& event_id);
  eventstore::StateHistory::Shared customer_of(const domain::Charge& charge, Position position);

  const eventstore::Log& log_;
  const eventstore::Keyring& keyring_;
  const std::vector<eventstore::EndedEpoch> ended_epochs_;
  eventstore::StateHistory history_;
  eventstore::StateReader states_;  // of customers, as they are now
};

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
