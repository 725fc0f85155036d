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

// A project's channels, from the claims. Claims are permanent, so a deletion is a claim too, and this takes
// time proportional to all channels ever created. Do not call it within a write.
struct ProjectChannels {
  std::vector<domain::StreamName> streams;  // existing channels, in order of id
  std::uint32_t ever = 0;                   // channels ever created
};
ProjectChannels project_channels(const eventstore::Log& log, const domain::ProjectId& project);

// Prefix of webhook signing secrets.
inline constexpr std::string_view kSecretPrefix = "whsec_";

// The prefix and 64 hex characters of 256 random bits; the HMAC key is this text.
std::string new_secret(Entropy& entropy);

// A channel's signing secret. Shown once, stored only sealed.
struct NewChannelSecret {
  std::string text;  // new_secret
  std::string hint;  // its last 4 characters
  domain::SealedSecret sealed;
};

// Sealed for this channel: it cannot be moved to another one.
NewChannelSecret make_channel_secret(const domain::ChannelId& channel, const eventstore::Keyring& keyring,
                                     Entropy& entropy);

// Throws KeyringError if the keyring cannot open it.
std::string open_channel_secret(const domain::ChannelId& channel, const domain::SealedSecret& sealed,
                                const eventstore::Keyring& keyring);

// The value of X-Webhook-Signature. The key is the channel's secret; the raw body is signed.

// v1: lower-case hex of HMAC(body). v2: "t=<unix seconds>,v1=<hex of HMAC(t.body)>", so that a receiver can
// reject old webhooks.
std::string sign_webhook(domain::WebhookVersion version, const HmacSha256& key, std::string_view body,
                         Timestamp sent_at);

// One signature of Standard Webhooks' header `webhook-signature`: "v1," and the base64 of HMAC(id.t.body),
// with `t` in unix seconds. The key is the text after "whsec_", decoded from base64; nullopt if the secret
// has no such text.
std::optional<std::string> sign_standard_webhook(std::string_view secret, std::string_view id,
                                                 Timestamp sent_at, std::string_view body);

// Largest difference of `t` from a receiver's clock.
constexpr std::int64_t kReplayToleranceSeconds = 300;

// Verifies as a receiver does, in either format, in constant time. A text that v2 signs is never a v1 body.
bool verify_webhook(std::string_view signature, const HmacSha256& key, std::string_view body, Timestamp now);

}  // namespace pixledger::stores
