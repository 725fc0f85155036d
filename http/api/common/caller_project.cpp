#include "http/api/common/caller_project.h"

#include "eventstore/reading/projects.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kSetRule = "must be a list of at least one of live, sandbox";

}  // namespace

std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller) {
  return project_of(services, caller, caller.arrival);
}

std::shared_ptr<const domain::Project> project_of(const Services& services, const Caller& caller,
                                                  const Head& head) {
  auto state = services.states.find(domain::project_stream(caller.project), head);
  const auto* project = state ? std::get_if<domain::Project>(state.get()) : nullptr;
  if (!project) throw eventstore::LogCorrupt("a key names a project that the ledger does not have");
  return {std::move(state), project};
}

TimeZone zone_of(const Services& services, const Caller& caller) {
  return eventstore::store_zone(project_of(services, caller)->settings).value_or(TimeZone());
}

ListedEnvironment read_listed_environment(const Query& query, const Caller& caller, Violations& violations) {
  const auto text = query.value("environment", violations);
  if (!text) return {caller.environment, false};
  const auto asked = EnvironmentText::parse(*text);
  if (!asked) {
    violations.push_back({"environment", std::string(EnvironmentText::kRule)});
    return {caller.environment, false};
  }
  return {asked->environment, is_refused(caller, asked->environment)};
}

std::optional<domain::Environment> read_environment_filter(const Query& query, Violations& violations) {
  const auto text = query.value("environment", violations);
  if (!text) return std::nullopt;
  const auto asked = EnvironmentText::parse(*text);
  if (!asked) violations.push_back({"environment", std::string(EnvironmentText::kRule)});
  return asked ? std::optional(asked->environment) : std::nullopt;
}

domain::Environment read_environment(const JsonObject& body, const Caller& caller) {
  const auto asked = body.optional<EnvironmentText>("environment");
  return asked ? asked->environment : caller.environment;
}

std::optional<domain::EnvironmentSet> read_environments(const JsonObject& body) {
  const auto texts = body.optional_texts("environments", kSetRule);
  if (!texts) return std::nullopt;
  std::uint32_t bits = 0;
  for (const auto text : *texts) {
    const auto environment = domain::parse_environment(text);
    // One unknown environment invalidates the whole list.
    bits |=
        environment ? domain::EnvironmentSet::only(*environment).bits() : ~domain::EnvironmentSet::kAllBits;
  }
  auto environments = domain::EnvironmentSet::from_bits(bits);
  if (!environments) body.violation("environments", std::string(kSetRule));
  return environments;
}

}  // namespace pixledger::http
