#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/http/json/json_body.h"
#include "base/platform/time_zone.h"
#include "domain/aggregates/project.h"
#include "domain/values/environment.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/services.h"

namespace pixledger::http {

// The caller's project as of the request's arrival. Never null: a key's project is in the same log, so its
// absence is a fault (LogCorrupt).
std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller);

// As of a later head, for newer data: listed charges may have a connection that was added since.
std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller,
                                                  const Head& head);

// The time zone of the dates in the caller's requests. UTC if this machine's database lacks the store's zone;
// replies name the zone.
TimeZone zone_of(const Services& services, const Caller& caller);

// The environment of a request. A test key has the sandbox alone.

// The value of such a field or parameter.
struct EnvironmentText {
  static constexpr std::string_view kRule = "must be live or sandbox";
  static std::optional<EnvironmentText> parse(std::string_view text) {
    const auto environment = domain::parse_environment(text);
    return environment ? std::optional(EnvironmentText{*environment}) : std::nullopt;
  }
  domain::Environment environment;
};

// The environment of a list: the parameter `environment`; by default the key's own.
struct ListedEnvironment {
  domain::Environment environment;
  bool match_nothing;  // a test key asked for live items
};
ListedEnvironment read_listed_environment(const Query& query, const Caller& caller, Violations& violations);

// The same for a list of both environments: absent unless asked for.
std::optional<domain::Environment> read_environment_filter(const Query& query, Violations& violations);

// The environment of a creation: the body's `environment`, by default the key's own. Adds a violation if it
// is invalid.
domain::Environment read_environment(const JsonObject& body, const Caller& caller);

// A channel's `environments` from the body. Adds a violation unless it lists at least one.
std::optional<domain::EnvironmentSet> read_environments(const JsonObject& body);

// Whether the caller may not see or change this environment (Rejection::kLiveForTestKey).
inline bool is_refused(const Caller& caller, domain::Environment environment) {
  return caller.sandbox_only() && environment == domain::Environment::kLive;
}

}  // namespace pixledger::http
