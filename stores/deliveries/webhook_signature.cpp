#include "stores/deliveries/webhook_signature.h"

#include <charconv>

#include "base/text/base64.h"
#include "stores/deliveries/channel_secret.h"

namespace pixledger::stores {
namespace {

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

// What v2 signs is "<t>.<body>". Whoever has seen a v2 webhook could present just that, for ever, as a body
// with the v1 form; only an object is one.
bool may_be_v1_body(std::string_view body) { return !body.empty() && body.front() == '{'; }

bool is_recent(std::string_view unix_seconds, Timestamp now) {
  std::int64_t sent_at = 0;
  const auto [end, error] =
      std::from_chars(unix_seconds.data(), unix_seconds.data() + unix_seconds.size(), sent_at);
  if (error != std::errc() || end != unix_seconds.data() + unix_seconds.size()) return false;
  const std::int64_t now_seconds = now.millis() / 1000;
  return sent_at >= now_seconds - kReplayToleranceSeconds && sent_at <= now_seconds + kReplayToleranceSeconds;
}

}  // namespace

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
