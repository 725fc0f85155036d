#include "stores/deliveries/channel_secret.h"

#include <array>
#include <cstddef>

#include "base/platform/sha256.h"
#include "eventstore/log/fresh_ids.h"

namespace pixledger::stores {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kHintSize = 4;

// Part of what was sealed, so it never changes.
std::string associated_with(const domain::ChannelId& channel) { return "channel-secret/" + channel.text(); }

}  // namespace

domain::ChannelId new_channel_id(const eventstore::Log& log, const Clock& clock, Entropy& entropy) {
  return domain::mint<domain::ChannelId>(eventstore::fresh_recipe(log, clock, entropy), 0);
}

std::string new_secret(Entropy& entropy) {
  std::array<std::byte, kSecretBytes> random{};
  entropy.fill(random);
  const std::string_view bytes(reinterpret_cast<const char*>(random.data()), random.size());
  return std::string(kSecretPrefix) + to_hex(bytes);
}

NewChannelSecret make_channel_secret(const domain::ChannelId& channel, const eventstore::Keyring& keyring,
                                     Entropy& entropy) {
  NewChannelSecret secret;
  secret.text = new_secret(entropy);
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

}  // namespace pixledger::stores
