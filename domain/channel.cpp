#include "domain/channel.h"

#include <algorithm>
#include <array>

namespace pixledger::domain {
namespace {

constexpr std::array<std::string_view, kWebhookEventCount> kNames = {
    "transaction.created",  "transaction.paid",      "transaction.expired",
    "transaction.refunded", "transaction.cancelled", "transaction.failed"};

struct Apply {
  Timestamp at;

  std::optional<Channel> operator()(const ChannelAdded& event) const {
    return Channel{event.id,      event.project, event.name,        event.url, event.events,
                   event.version, event.secret,  event.secret_hint, at};
  }
};

}  // namespace

std::string_view to_string(WebhookEvent event) { return kNames[static_cast<std::size_t>(event)]; }

std::optional<WebhookEvent> parse_webhook_event(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<WebhookEvent>(found - kNames.begin());
}

std::optional<WebhookEventSet> WebhookEventSet::from_bits(std::uint32_t bits) {
  if (bits == 0 || (bits & ~kAllBits) != 0) return std::nullopt;
  return WebhookEventSet(bits);
}

std::optional<WebhookEventSet> WebhookEventSet::parse(std::string_view comma_separated) {
  std::uint32_t bits = 0;
  while (true) {
    const auto comma = comma_separated.find(',');
    const auto event = parse_webhook_event(comma_separated.substr(0, comma));
    if (!event) return std::nullopt;
    bits |= 1U << static_cast<unsigned>(*event);
    if (comma == std::string_view::npos) return WebhookEventSet(bits);
    comma_separated.remove_prefix(comma + 1);
  }
}

std::string WebhookEventSet::text() const {
  std::string text;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if ((bits_ >> i & 1U) == 0) continue;
    if (!text.empty()) text += ',';
    text += kNames[i];
  }
  return text;
}

std::optional<Channel> apply(std::optional<Channel>, const ChannelEvent& event, Timestamp at) {
  return std::visit(Apply{at}, event);
}

}  // namespace pixledger::domain
