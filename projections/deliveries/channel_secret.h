#pragma once

#include <string>
#include <string_view>

#include "domain/aggregates/channel.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/entropy.h"

namespace pixledger::projections {

// What webhooks are signed with begins with this.
inline constexpr std::string_view kSecretPrefix = "whsec_";

// The prefix and 64 hex characters of 256 random bits; the HMAC key is this text.
std::string new_secret(eventstore::Entropy& entropy);

// What a channel's webhooks are signed with. Shown once, kept only sealed.
struct NewChannelSecret {
  std::string text;  // new_secret
  std::string hint;  // its last 4 characters
  domain::SealedSecret sealed;
};

// A channel's id exists before its event does, since the secret is sealed for it.
domain::ChannelId new_channel_id(const eventstore::Log& log, const eventstore::Clock& clock,
                                 eventstore::Entropy& entropy);

// Sealed for this channel: nobody can move it to another one.
NewChannelSecret make_channel_secret(const domain::ChannelId& channel, const eventstore::Keyring& keyring,
                                     eventstore::Entropy& entropy);

// Throws KeyringError when the keyring cannot open it.
std::string open_channel_secret(const domain::ChannelId& channel, const domain::SealedSecret& sealed,
                                const eventstore::Keyring& keyring);

}  // namespace pixledger::projections
