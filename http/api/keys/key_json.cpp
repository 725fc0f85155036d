#include "http/api/keys/key_json.h"

#include <string>

#include "base/platform/time_zone.h"

namespace pixledger::http {
namespace {

void write_scopes(Json& json, const domain::ScopeSet& scopes) {
  const auto text = scopes.text();
  std::string_view left = text;
  json.key("scopes").begin_array();
  while (true) {
    const auto comma = left.find(',');
    json.value(left.substr(0, comma));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  json.end_array();
}

}  // namespace

void write_key_fields(Json& json, const domain::ApiKey& key, const std::optional<std::int64_t>& last_day) {
  json.field("id", key.id).field("name", key.name).field("environment", key.environment);
  json.field("prefix", key.environment == domain::Environment::kLive ? "sk_live_" : "sk_test_");
  json.field("lastFour", key.last_four);
  write_scopes(json, key.scopes);
  json.field("createdAt", key.issued_at).field("expiresAt", key.expires_at);
  json.field("revokedAt", key.revoked_at);
  json.field("lastUsedOn", last_day ? std::optional(date_text(*last_day)) : std::nullopt);
  json.key("allowedIps").begin_array();
  for (const auto& range : key.allowed_callers) json.value(range);
  json.end_array();
}

}  // namespace pixledger::http
