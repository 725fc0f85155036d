#pragma once

#include <optional>
#include <string>

#include "base/http/message/reply.h"
#include "base/platform/json.h"
#include "domain/aggregates/channel.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::http {

// How a channel's deliveries fare. Null where an answer must not show it: one that is given again under its
// Idempotency-Key has to be the same, and this changes all the time.
using HealthShown = const stores::ChannelHealth*;

// The members of a channel's record, into the object that is open. Never the secret.
void write_channel(Json& json, const domain::Channel& channel, HealthShown health);

// What an answer shows this once.
struct ShownSecret {
  std::string text;
  std::optional<Timestamp> grace_ends_at;  // of a rotation: until then the old one goes on signing
};

// {"success":true,"data":record}, with the secret as its last members, if there is one to show.
Reply channel_reply(int status, const domain::Channel& channel, HealthShown health,
                    const std::optional<ShownSecret>& secret = std::nullopt);

}  // namespace pixledger::http
