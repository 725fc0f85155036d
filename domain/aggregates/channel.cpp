#include "domain/aggregates/channel.h"

#include <algorithm>

#include "base/text/enum_names.h"

namespace pixledger::domain {
namespace {

constexpr EnumNames<WebhookEvent::kTransactionCreated, WebhookEvent::kStoreChanged> kWebhookEventNames{
    "transaction.created",
    "transaction.paid",
    "transaction.expired",
    "transaction.refunded",
    "transaction.cancelled",
    "transaction.failed",
    "transaction.partially_refunded",
    "payment.unapplied",
    "payment.settled",
    "store.changed"};

EnvironmentSet environments_of(const ChannelAdded& event) {
  if (event.environments) return *event.environments;
  return event.sandbox_only ? EnvironmentSet::only(Environment::kSandbox) : EnvironmentSet::all();
}

struct ApplyToChannel {
  std::optional<Channel> channel;
  Timestamp at;
  using Result = std::optional<Channel>;

  Result operator()(const ChannelAdded& event) const {
    return Channel{.id = event.id,
                   .project = event.project,
                   .name = event.name,
                   .url = event.url,
                   .events = event.events,
                   .version = event.version,
                   .secret = event.secret,
                   .secret_hint = event.secret_hint,
                   .environments = environments_of(event),
                   .was_told_of_live = environments_of(event).contains(Environment::kLive),
                   .is_active = true,
                   .disabled_reason = std::nullopt,
                   .retiring_secrets = {},
                   .active_since = at,
                   .created_at = at,
                   .updated_at = at,
                   .checkout_session = event.checkout_session};
  }
  Result operator()(const ChannelChanged& event) {
    if (!channel) return std::nullopt;
    if (begins_anew(*channel, event)) channel->active_since = at;
    channel->name = event.name;
    channel->url = event.url;
    channel->events = event.events;
    channel->version = event.version;
    channel->is_active = event.is_active;
    if (event.environments) channel->environments = *event.environments;
    channel->was_told_of_live |= channel->environments.contains(Environment::kLive);
    if (event.is_active) channel->disabled_reason.reset();
    return touched();
  }
  Result operator()(const ChannelDeleted&) const { return std::nullopt; }
  Result operator()(const ChannelSecretRotated& event) {
    if (!channel) return std::nullopt;
    // A second rotation within a grace period keeps each announced end: some receivers know only the first
    // secret, some the second. Without a grace period all old secrets end at once, as requested.
    auto& retiring = channel->retiring_secrets;
    retiring.push_back({std::move(channel->secret), event.grace_ends_at});
    const bool at_once = at >= event.grace_ends_at;
    std::erase_if(retiring, [&](const auto& each) { return at_once || at >= each.until; });
    if (retiring.size() > kRetiringSecretsMax) retiring.erase(retiring.begin());
    channel->secret = event.secret;
    channel->secret_hint = event.secret_hint;
    return touched();
  }
  Result operator()(const ChannelDisabled& event) {
    if (!channel) return std::nullopt;
    channel->is_active = false;
    channel->disabled_reason = event.reason;
    return touched();
  }
  Result operator()(const ChannelTestRequested&) { return std::move(channel); }
  Result operator()(const DeliveryRedeliveryRequested&) { return std::move(channel); }
  Result operator()(const DeliveriesRecoveryRequested&) { return std::move(channel); }

  Result touched() {
    channel->updated_at = at;
    return std::move(channel);
  }
};

}  // namespace

std::string_view to_string(WebhookEvent event) { return kWebhookEventNames.of(event); }

std::optional<WebhookEvent> parse_webhook_event(std::string_view text) {
  return kWebhookEventNames.parse(text);
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
  for (const auto event : list()) {
    if (!text.empty()) text += ',';
    text += to_string(event);
  }
  return text;
}

std::vector<WebhookEvent> WebhookEventSet::list() const {
  std::vector<WebhookEvent> events;
  for (unsigned i = 0; i < kWebhookEventCount; ++i) {
    if (contains(static_cast<WebhookEvent>(i))) events.push_back(static_cast<WebhookEvent>(i));
  }
  return events;
}

bool has_all(WebhookVersion version, const WebhookEventSet& events) {
  return version == WebhookVersion::kV2 || (events.bits() & ~WebhookEventSet::kStandardBits) == 0;
}

bool begins_anew(const Channel& before, const ChannelChanged& change) {
  return change.is_active && (!before.is_active || before.url != change.url);
}

bool wants(const Channel& channel, WebhookEvent event, std::optional<Environment> environment) {
  if (!channel.is_active || !channel.events.contains(event)) return false;
  return !environment || channel.environments.contains(*environment);
}

std::vector<const SealedSecret*> old_secrets(const Channel& channel, Timestamp now) {
  std::vector<const SealedSecret*> signing;
  for (const auto& retiring : channel.retiring_secrets) {
    if (now < retiring.until) signing.push_back(&retiring.secret);
  }
  return signing;
}

std::optional<Channel> apply(std::optional<Channel> channel, const ChannelEvent& event, Timestamp at) {
  return std::visit(ApplyToChannel{std::move(channel), at}, event);
}

}  // namespace pixledger::domain
