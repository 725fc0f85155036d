#pragma once

#include <string>

#include "eventstore/keyring.h"
#include "eventstore/log.h"
#include "eventstore/state_reader.h"
#include "projections/delivery.h"
#include "workers/webhook_sender.h"

namespace pixledger::workers {

// From a delivery to what is sent: reads the streams as of the event for the body, the channel as now for
// target and secret. Thread-safe.
class WebhookComposer {
 public:
  WebhookComposer(const eventstore::Log& log, const eventstore::Keyring& keyring)
      : log_(log), keyring_(keyring), channels_(log) {}

  // The channel as now. Throws LogCorrupt when there is none: a delivery names one that was there.
  domain::Channel channel_of(const projections::Delivery& delivery);

  // `attempt`: 1, 2, 3…. The signature and the headers about the sending are fresh, the body is not.
  WebhookPost compose(const projections::Delivery& delivery, const domain::Channel& channel, unsigned attempt,
                      domain::Timestamp sent_at) const;

  // The bytes that all attempts send.
  std::string body_of(const projections::Delivery& delivery) const;

 private:
  const eventstore::Log& log_;
  const eventstore::Keyring& keyring_;
  eventstore::StateReader channels_;
};

}  // namespace pixledger::workers
