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

// The caller's project, as of the request's arrival. Never null: a key is only issued for a project that is
// in the same log, so its absence is a fault (LogCorrupt).
std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller);

// As of a later head, for what came after the request: charges that a list shows may have a connection that
// was added since.
std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller,
                                                  const Head& head);

// Whose days the dates of the caller's requests are. UTC where this machine's time zone database does not
// have the store's zone; answers say which it was.
TimeZone zone_of(const Services& services, const Caller& caller);

// Which of the project's two worlds a request is about. A test key has the sandbox alone.

// What such a field or parameter holds.
struct EnvironmentText {
  static constexpr std::string_view kRule = "must be live or sandbox";
  static std::optional<EnvironmentText> parse(std::string_view text) {
    const auto environment = domain::parse_environment(text);
    return environment ? std::optional(EnvironmentText{*environment}) : std::nullopt;
  }
  domain::Environment environment;
};

// Of a list of one environment: the parameter `environment`; absent, the key's own.
struct ListedEnvironment {
  domain::Environment environment;
  bool match_nothing;  // live things, of which a test key's lists have none
};
ListedEnvironment read_listed_environment(const Query& query, const Caller& caller, Violations& violations);

// The same of a list of both: absent where it is not asked for.
std::optional<domain::Environment> read_environment_filter(const Query& query, Violations& violations);

// Of what is made: the body's `environment`; absent, the key's own. Adds a violation when it is neither.
domain::Environment read_environment(const JsonObject& body, const Caller& caller);

// Of a channel: the body's `environments`. Adds a violation when it is no list of at least one of them.
std::optional<domain::EnvironmentSet> read_environments(const JsonObject& body);

// Whether what is there, or is asked for, is refused to the caller (Rejection::kLiveForTestKey).
inline bool is_refused(const Caller& caller, domain::Environment environment) {
  return caller.sandbox_only() && environment == domain::Environment::kLive;
}

}  // namespace pixledger::http
