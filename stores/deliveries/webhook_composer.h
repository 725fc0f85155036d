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

// The content sent to a receiver.
struct WebhookPost {
  std::vector<std::pair<std::string, std::string>> headers;  // beside HTTP's own
  std::string body;                                          // JSON
};

// Secrets that sign a webhook: one, and during a rotation's grace period its successors, newest last. Never
// empty.
using SigningSecrets = std::vector<std::string>;

// A channel's secrets at that time. Throws KeyringError if the keyring cannot open them.
SigningSecrets signing_secrets(const domain::Channel& channel, const eventstore::Keyring& keyring,
                               Timestamp now);

// The body of a delivery with the headers of one attempt: 1, 2, 3…
WebhookPost signed_post(std::string body, const Delivery& delivery, const SigningSecrets& secrets,
                        unsigned attempt, Timestamp sent_at);

// Composes webhooks: reads the streams as of the event for the body. Thread-safe; log and keyring must
// outlive it.
class WebhookComposer {
 public:
  // `ended_epochs` are the log's, for event ids.
  WebhookComposer(const eventstore::Log& log, const eventstore::Keyring& keyring,
                  std::vector<eventstore::EndedEpoch> ended_epochs)
      : log_(log), keyring_(keyring), ended_epochs_(std::move(ended_epochs)), history_(log), states_(log) {}

  // `attempt`: 1, 2, 3… Signatures and sending headers are fresh; the body is always the same.
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
  eventstore::StateReader states_;  // current states of customers
};

// Returns the payment that a charge's event sets aside or settles; nullopt for other events. `before` is the
// charge without the event. Throws LogCorrupt if the charge lacks the settled payment.
std::optional<domain::UnappliedPayment> payment_told(const domain::ChargeEvent& event, Timestamp recorded_at,
                                                     const domain::Charge& before);

// The data of a webhook body about a charge: the streams as of the event's position.
struct WebhookFacts {
  domain::WebhookEvent event;
  const std::string& event_id;  // as in the feed
  Timestamp occurred_at;
  const domain::ChargeEvent& recorded;
  const domain::Charge& charge;             // with the event applied
  const domain::UnappliedPayment* payment;  // the event's payment if it was set aside; else nullptr
  const domain::CustomerDetails* customer;  // nullptr if the personal data has been erased
};

// The exact bytes to sign and send; see docs/reference/webhooks.md. Pure: each attempt sends the same bytes.
std::string webhook_body(const WebhookFacts& facts, domain::WebhookVersion version);

// The data of a webhook about a store; v2 only.
struct StoreWebhookFacts {
  const std::string& event_id;
  Timestamp occurred_at;
  const domain::ProjectId& project;
  const domain::StoreSettings& before;
  const domain::StoreSettings& after;
};
std::string store_webhook_body(const StoreWebhookFacts& facts);

// The data of a test webhook, which has no transaction.
struct WebhookTestFacts {
  const std::string& event_id;
  const domain::ChannelId& channel;
  Timestamp requested_at;
  domain::Environment environment;
};
std::string webhook_test_body(const WebhookTestFacts& facts, domain::WebhookVersion version);

}  // namespace pixledger::stores
