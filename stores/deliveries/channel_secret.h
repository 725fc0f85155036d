#pragma once

#include <string>
#include <string_view>

#include "base/platform/clock.h"
#include "base/platform/entropy.h"
#include "domain/aggregates/channel.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"

namespace pixledger::stores {

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

}  // namespace pixledger::stores
