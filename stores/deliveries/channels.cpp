#include "stores/deliveries/channels.h"

#include <cstddef>
#include <string>
#include <unordered_set>

#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::stores {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kHintSize = 4;

// Part of the sealed data, so it must never change.
std::string associated_with(const domain::ChannelId& channel) { return "channel-secret/" + channel.text(); }

struct V2Parts {
  std::string_view unix_seconds;
  std::string_view mac;
};

std::optional<V2Parts> parse_v2(std::string_view signature) {
  constexpr std::string_view kTime = "t=";
  constexpr std::string_view kMac = ",v1=";
  if (signature.substr(0, kTime.size()) != kTime) return std::nullopt;
  const auto mac_at = signature.find(kMac);
  if (mac_at == std::string_view::npos) return std::nullopt;
  return V2Parts{signature.substr(kTime.size(), mac_at - kTime.size()),
                 signature.substr(mac_at + kMac.size())};
}

std::string mac_v2(const HmacSha256& key, std::string_view unix_seconds, std::string_view body) {
  return to_hex(key.mac({unix_seconds, ".", body}));
}

// v2 signs "<t>.<body>". An observer of a v2 webhook could present that text as a body in v1 form, forever.
// Only objects are accepted, so this fails.
bool may_be_v1_body(std::string_view body) { return !body.empty() && body.front() == '{'; }

bool is_recent(std::string_view unix_seconds, Timestamp now) {
  const auto sent_at = whole_number<std::int64_t>(unix_seconds);
  const std::int64_t now_seconds = now.millis() / 1000;
  return sent_at && *sent_at >= now_seconds - kReplayToleranceSeconds &&
         *sent_at <= now_seconds + kReplayToleranceSeconds;
}

}  // namespace

ProjectChannels project_channels(const eventstore::Log& log, const domain::ProjectId& project) {
  auto added = log.claims_with_prefix(domain::channel_claim_prefix(project));
  std::unordered_set<std::string> deleted;
  for (const auto& [claim, stream] : log.claims_with_prefix(domain::deleted_channel_claim_prefix(project)))
    deleted.insert(stream.text());
  ProjectChannels channels;
  channels.ever = static_cast<std::uint32_t>(added.size());
  for (auto& [claim, stream] : added) {
    if (deleted.count(stream.text()) == 0) channels.streams.push_back(std::move(stream));
  }
  return channels;
}

std::string new_secret(Entropy& entropy) {
  return std::string(kSecretPrefix) + to_hex(entropy.bytes(kSecretBytes));
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

std::string sign_webhook(domain::WebhookVersion version, const HmacSha256& key, std::string_view body,
                         Timestamp sent_at) {
  if (version == domain::WebhookVersion::kV1) return to_hex(key.mac(body));
  const std::string unix_seconds = std::to_string(sent_at.millis() / 1000);
  return "t=" + unix_seconds + ",v1=" + mac_v2(key, unix_seconds, body);
}

std::optional<std::string> sign_standard_webhook(std::string_view secret, std::string_view id,
                                                 Timestamp sent_at, std::string_view body) {
  if (!secret.starts_with(kSecretPrefix)) return std::nullopt;
  const auto key = bytes_from_base64(secret.substr(kSecretPrefix.size()));
  if (!key) return std::nullopt;
  const auto unix_seconds = std::to_string(sent_at.millis() / 1000);
  const auto mac = HmacSha256(*key).mac({id, ".", unix_seconds, ".", body});
  return "v1," + to_base64(bytes_of(mac));
}

bool verify_webhook(std::string_view signature, const HmacSha256& key, std::string_view body, Timestamp now) {
  const auto v2 = parse_v2(signature);
  if (!v2) return may_be_v1_body(body) && equal_in_constant_time(signature, to_hex(key.mac(body)));
  if (!is_recent(v2->unix_seconds, now)) return false;
  return equal_in_constant_time(v2->mac, mac_v2(key, v2->unix_seconds, body));
}

}  // namespace pixledger::stores
