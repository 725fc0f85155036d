#include "projections/channel_secret.h"

#include <array>
#include <cstddef>

#include "eventstore/sha256.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kHintSize = 4;

// Part of what was sealed, so it never changes.
std::string associated_with(const domain::ChannelId& channel) { return "channel-secret/" + channel.text(); }

}  // namespace

NewChannelSecret make_channel_secret(const domain::ChannelId& channel, const eventstore::Keyring& keyring,
                                     eventstore::Entropy& entropy) {
  std::array<std::byte, kSecretBytes> random{};
  entropy.fill(random);
  NewChannelSecret secret;
  secret.text = "whsec_" + eventstore::to_hex(
                               std::string_view(reinterpret_cast<const char*>(random.data()), random.size()));
  secret.hint = secret.text.substr(secret.text.size() - kHintSize);
  secret.sealed.bytes = keyring.seal(secret.text, associated_with(channel), entropy).to_bytes();
  return secret;
}

std::string open_channel_secret(const domain::ChannelId& channel, const domain::SealedSecret& sealed,
                                const eventstore::Keyring& keyring) {
  const auto parsed = eventstore::Sealed::from_bytes(sealed.bytes);
  if (!parsed) throw eventstore::KeyringError("the secret of channel " + channel.text() + " is damaged");
  return keyring.unseal(*parsed, associated_with(channel));
}

}  // namespace pixledger::projections
