#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/channel.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"

namespace pixledger::stores {

// The channels of a project, as the claims tell. Claims are for ever, so a deletion is a claim as well, and
// looking at them takes as long as the project ever had channels: not for within a write.
struct ProjectChannels {
  std::vector<domain::StreamName> streams;  // of those that there are, in the order of their ids
  std::uint32_t ever = 0;                   // how many there ever were
};
ProjectChannels project_channels(const eventstore::Log& log, const domain::ProjectId& project);

// What webhooks are signed with begins with this.
inline constexpr std::string_view kSecretPrefix = "whsec_";

// The prefix and 64 hex characters of 256 random bits; the HMAC key is this text.
std::string new_secret(Entropy& entropy);

// What a channel's webhooks are signed with. Shown once, kept only sealed.
struct NewChannelSecret {
  std::string text;  // new_secret
  std::string hint;  // its last 4 characters
  domain::SealedSecret sealed;
};

// A channel's id exists before its event does, since the secret is sealed for it.
domain::ChannelId new_channel_id(const eventstore::Log& log, const Clock& clock, Entropy& entropy);

// Sealed for this channel: nobody can move it to another one.
NewChannelSecret make_channel_secret(const domain::ChannelId& channel, const eventstore::Keyring& keyring,
                                     Entropy& entropy);

// Throws KeyringError when the keyring cannot open it.
std::string open_channel_secret(const domain::ChannelId& channel, const domain::SealedSecret& sealed,
                                const eventstore::Keyring& keyring);

// The value of X-Webhook-Signature. The key is the channel's secret; what is signed is the raw body.

// v1: lower-case hex of HMAC(body). v2: "t=<unix seconds>,v1=<hex of HMAC(t.body)>", so that a receiver can
// refuse old ones.
std::string sign_webhook(domain::WebhookVersion version, const HmacSha256& key, std::string_view body,
                         Timestamp sent_at);

// One signature of Standard Webhooks' header `webhook-signature`: "v1," and the base64 of HMAC(id.t.body),
// with `t` in unix seconds. The key is what base64 makes of the text after "whsec_"; nullopt for a secret
// that has no such text.
std::optional<std::string> sign_standard_webhook(std::string_view secret, std::string_view id,
                                                 Timestamp sent_at, std::string_view body);

// How far `t` may be from a receiver's clock.
constexpr std::int64_t kReplayToleranceSeconds = 300;

// What a receiver does, in either format. Compares in constant time. What v2 signs is no v1 body.
bool verify_webhook(std::string_view signature, const HmacSha256& key, std::string_view body, Timestamp now);

}  // namespace pixledger::stores
