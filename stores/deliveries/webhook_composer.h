#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domain/aggregates/channel.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log_snapshot.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/webhook_post.h"

namespace pixledger::stores {

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

}  // namespace pixledger::stores
