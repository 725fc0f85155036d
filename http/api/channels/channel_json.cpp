#include "http/api/channels/channel_json.h"

#include <optional>

#include "http/json/json_time.h"

namespace pixledger::http {
namespace {

// nullopt: not to be shown.
std::optional<std::string_view> status_of(const domain::Channel& channel, HealthShown health) {
  if (!channel.is_active) return "disabled";
  if (!health) return std::nullopt;
  return health->failing() ? "failing" : "ok";
}

void write_health(JsonWriter& json, const domain::Channel& channel, HealthShown health) {
  json.key("health").begin_object();
  if (const auto status = status_of(channel, health)) {
    json.text("status", *status);
  } else {
    json.null("status");
  }
  if (health) {
    json.integer("consecutiveFailures", static_cast<std::int64_t>(health->consecutive_failures));
    write_time_or_null(json, "lastSuccessAt", health->last_success_at);
    write_time_or_null(json, "lastFailureAt", health->last_failure_at);
  } else {
    json.null("consecutiveFailures").null("lastSuccessAt").null("lastFailureAt");
  }
  if (channel.disabled_reason) {
    json.text("disabledReason", domain::to_string(*channel.disabled_reason));
  } else {
    json.null("disabledReason");
  }
  json.end_object();
}

}  // namespace

void write_channel(JsonWriter& json, const domain::Channel& channel, HealthShown health) {
  json.text("id", channel.id.text());
  if (channel.name) {
    json.text("name", channel.name->text());
  } else {
    json.null("name");
  }
  json.text("url", channel.url);
  json.key("events").begin_array();
  for (const auto event : channel.events.list()) json.text(domain::to_string(event));
  json.end_array();
  json.boolean("isActive", channel.is_active);
  json.text("webhookApiVersion", domain::to_string(channel.version));
  json.text("secretHint", channel.secret_hint);
  write_health(json, channel, health);
  write_time(json, "createdAt", channel.created_at);
  write_time(json, "updatedAt", channel.updated_at);
}

Reply channel_reply(int status, const domain::Channel& channel, HealthShown health,
                    const std::string& secret) {
  JsonWriter json;
  json.begin_object().boolean("success", true).key("data").begin_object();
  write_channel(json, channel, health);
  if (!secret.empty()) json.text("secret", secret);
  json.end_object().end_object();
  return {status, json.str()};
}

}  // namespace pixledger::http
