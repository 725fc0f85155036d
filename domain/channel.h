#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "domain/cuid.h"
#include "domain/text.h"
#include "domain/timestamp.h"

namespace pixledger::domain {

// What merchants are told about. The numbers are stored (as bits) and never change.
enum class WebhookEvent : std::uint8_t {
  kTransactionCreated = 0,
  kTransactionPaid = 1,
  kTransactionExpired = 2,
  kTransactionRefunded = 3,
  kTransactionCancelled = 4,
  kTransactionFailed = 5,
};
constexpr unsigned kWebhookEventCount = 6;

std::string_view to_string(WebhookEvent event);  // "transaction.created"
std::optional<WebhookEvent> parse_webhook_event(std::string_view text);

class WebhookEventSet {
 public:
  static constexpr std::uint32_t kAllBits = (1U << kWebhookEventCount) - 1;

  static WebhookEventSet all() { return WebhookEventSet(kAllBits); }
  static std::optional<WebhookEventSet> from_bits(std::uint32_t bits);
  // Comma-separated names; nullopt when one is unknown or there is none.
  static std::optional<WebhookEventSet> parse(std::string_view comma_separated);

  std::uint32_t bits() const { return bits_; }
  bool contains(WebhookEvent event) const { return ((bits_ >> static_cast<unsigned>(event)) & 1U) != 0; }
  std::string text() const;

  friend bool operator==(const WebhookEventSet&, const WebhookEventSet&) = default;

 private:
  explicit WebhookEventSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

// The form of the payload and signature; v1 is legacy and frozen.
enum class WebhookVersion : std::uint8_t { kV1 = 1, kV2 = 2 };

constexpr std::string_view to_string(WebhookVersion version) {
  return version == WebhookVersion::kV1 ? "v1" : "v2";
}
constexpr std::optional<WebhookVersion> parse_webhook_version(std::string_view text) {
  if (text == "v1") return WebhookVersion::kV1;
  if (text == "v2") return WebhookVersion::kV2;
  return std::nullopt;
}

constexpr unsigned kChannelsPerProjectMax = 10;
constexpr std::size_t kWebhookUrlBytesMax = 2048;

// A secret that only the keyring can open. Opaque here.
struct SealedSecret {
  std::string bytes;
  friend bool operator==(const SealedSecret&, const SealedSecret&) = default;
};

struct ChannelAdded {
  ChannelId id;
  ProjectId project;
  std::optional<Label> name;
  std::string url;  // checked at the edge: a target the service may send to
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;  // the last 4 characters
};
using ChannelEvent = std::variant<ChannelAdded>;

struct Channel {
  ChannelId id;
  ProjectId project;
  std::optional<Label> name;
  std::string url;
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;
  Timestamp created_at;
};

std::optional<Channel> apply(std::optional<Channel> channel, const ChannelEvent& event, Timestamp at);

}  // namespace pixledger::domain
