#include "domain/rules/connection_rules.h"

namespace pixledger::domain {
namespace {

constexpr const char* kNoConnection = "there was no such connection";

// Of another provider no connection has terms. One may be named so without having any: the name was free.
bool fits_provider(const Connection& connection) {
  if (!connection.api_pix) return true;
  const auto deadline = connection.api_pix->code_deadline_ms;
  return connection.provider_id == kApiPixProvider && deadline >= kCodeDeadlineMsMin &&
         deadline <= kCodeDeadlineMsMax;
}

struct ProjectRules {
  const Project* project;
  const RecordedEvent& recorded;

  Problem operator()(const ProjectCreated& event) const {
    return first_broken({{project == nullptr, kNotFirst}, {event.id == recorded.project, kOtherStream}});
  }
  Problem operator()(const StoreSettingsChanged&) const {
    return first_broken({{project != nullptr, kNothingThere}});
  }
  Problem operator()(const ConnectionAdded& event) const {
    if (!project) return kNothingThere;
    const auto& added = event.connection;
    return first_broken(
        {{!connection_of(*project, added.id), "the connection was there already"},
         {!has_alias(*project, added.environment, added.alias), "its alias was taken"},
         {project->connections.size() < kConnectionsPerProjectMax, "the project had all it can have"},
         {added.is_enabled(), "it is disabled from the start"},
         {fits_provider(added), "its terms are not those of its provider"}});
  }
  Problem operator()(const ConnectionChanged& event) const {
    if (!project) return kNothingThere;
    const auto& now = event.connection;
    const auto* before = connection_of(*project, now.id);
    if (!before) return kNoConnection;
    const bool is_default = default_connection(*project, before->environment) == before;
    return first_broken({{now.environment == before->environment && now.provider_id == before->provider_id &&
                              now.api_pix.has_value() == before->api_pix.has_value(),
                          "it became a connection of another kind"},
                         {now.alias == before->alias || !has_alias(*project, now.environment, now.alias),
                          "its alias was taken"},
                         {now.is_enabled() || !is_default, "the default was disabled"},
                         {fits_provider(now), "its terms are not those of its provider"},
                         {now != *before, "it changes nothing"}});
  }
  Problem operator()(const DefaultConnectionSet& event) const {
    if (!project) return kNothingThere;
    const auto* connection = connection_of(*project, event.connection);
    if (!connection || connection->environment != event.environment) return kNoConnection;
    return first_broken({{connection->is_enabled(), "the connection was disabled"}});
  }
};

struct BankRules {
  const BankConnection* connection;
  const RecordedEvent& recorded;

  Problem operator()(const ConnectionConfigured& event) const {
    const auto rate = event.configuration.rate;
    return first_broken({{recorded.stream == connection_stream(event.id), kOtherStream},
                         {connection != nullptr || recorded.version == 1, kNothingThere},
                         {rate >= 1 && rate <= kBankRateMax, "its rate is none that one may choose"}});
  }
  Problem operator()(const CallbackRegistered&) const {
    return first_broken({{connection != nullptr, kNoConnection}});
  }
  Problem operator()(const CallbackRemoved&) const {
    if (!connection) return kNoConnection;
    return first_broken({{connection->callback_url.has_value(), "there was no callback"}});
  }
};

}  // namespace

Problem broken_project_rule(const Project* project, const RecordedEvent& recorded,
                            const ProjectEvent& event) {
  return std::visit(ProjectRules{project, recorded}, event);
}

Problem broken_bank_rule(const BankConnection* connection, const RecordedEvent& recorded,
                         const BankConnectionEvent& event) {
  return std::visit(BankRules{connection, recorded}, event);
}

}  // namespace pixledger::domain
