#pragma once

#include <optional>
#include <vector>

#include "base/http/json/json_body.h"
#include "base/platform/time_zone.h"
#include "domain/aggregates/api_key.h"

namespace pixledger::http {

constexpr std::size_t kAllowedIpsMax = 100;

// What a new key may do.
struct NewKeyBody {
  domain::Environment environment;
  std::optional<domain::ApiKeyName> name;
  domain::ScopeSet scopes = domain::ScopeSet::all();
  std::optional<Timestamp> expires_at;
  std::vector<Cidr> allowed_callers;
};

// Nullopt where there is no environment, which is a violation; so is all else that is not as it has to be.
std::optional<NewKeyBody> read_new_key(const JsonObject& body, const TimeZone& zone, Timestamp now);

}  // namespace pixledger::http
