#include "http/api/channels/channel_json.h"

#include <optional>

#include "base/platform/json.h"

namespace pixledger::http {
namespace {

// nullopt: not to be shown.
std::optional<std::string_view> status_of(const domain::Channel& channel, HealthShown health) {
  if (!channel.is_active) return "disabled";
  if (!health) return std::nullopt;
  return health->failing() ? "failing" : "ok";
}

void write_health(Json& json, const domain::Channel& channel, HealthShown health) {
  json.key("health").begin_object();
  json.field("status", status_of(channel, health));
  if (health) {
    json.field("consecutiveFailures", health->consecutive_failures);
    json.field("lastSuccessAt", health->last_success_at);
    json.field("lastFailureAt", health->last_failure_at);
  } else {
    json.null("consecutiveFailures").null("lastSuccessAt").null("lastFailureAt");
  }
  json.field("disabledReason", channel.disabled_reason);
  json.end_object();
}

}  // namespace

void write_channel(Json& json, const domain::Channel& channel, HealthShown health) {
  json.field("id", channel.id);
  json.field("name", channel.name);
  json.field("url", channel.url);
  json.key("events").begin_array();
  for (const auto event : channel.events.list()) json.value(event);
  json.end_array();
  json.key("environments").begin_array();
  for (const auto environment : channel.environments.list()) json.value(domain::to_string(environment));
  json.end_array();
  json.field("isActive", channel.is_active);
  json.field("webhookApiVersion", channel.version);
  json.field("secretHint", channel.secret_hint);
  write_health(json, channel, health);
  json.field("createdAt", channel.created_at);
  json.field("updatedAt", channel.updated_at);
}

Reply channel_reply(int status, const domain::Channel& channel, HealthShown health,
                    const std::optional<ShownSecret>& secret) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_channel(json, channel, health);
  if (secret) {
    json.field("secret", secret->text);
    if (secret->grace_ends_at) json.field("graceEndsAt", *secret->grace_ends_at);
  }
  json.end_object().end_object();
  return {status, json.take()};
}

}  // namespace pixledger::http
