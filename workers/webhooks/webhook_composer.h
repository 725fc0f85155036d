#pragma once

#include <optional>
#include <string>

#include "domain/aggregates/channel.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "projections/deliveries/delivery.h"
#include "workers/webhooks/webhook_sender.h"

namespace pixledger::workers {

// What a webhook is signed with.
struct SigningSecrets {
  std::string secret;
  std::optional<std::string> next;  // during the grace of a rotation: the secret that follows
};

// A channel's secrets at that moment. Throws KeyringError when the keyring cannot open them.
SigningSecrets signing_secrets(const domain::Channel& channel, const eventstore::Keyring& keyring,
                               domain::Timestamp now);

// From a delivery to what is sent: reads the streams as of the event for the body. Thread-safe.
class WebhookComposer {
 public:
  explicit WebhookComposer(const eventstore::Log& log) : log_(log) {}

  // `attempt`: 1, 2, 3…. The signatures and the headers about the sending are fresh, the body is not.
  WebhookPost compose(const projections::Delivery& delivery, const SigningSecrets& secrets, unsigned attempt,
                      domain::Timestamp sent_at) const;

  // The bytes that all attempts send. Throws LogCorrupt.
  std::string body_of(const projections::Delivery& delivery) const;

 private:
  const eventstore::Log& log_;
};

}  // namespace pixledger::workers
