#include "domain/decisions/decide_project.h"

namespace pixledger::domain {
namespace {

Label label(std::string_view text) { return *Label::parse(text); }

}  // namespace

Decision decide(const CreateProject& command, const Context& context) {
  auto id = mint<ProjectId>(context.ids, 0);
  ProjectCreated created{id,
                         command.settings,
                         {{.id = mint<ConnectionId>(context.ids, 1),
                           .alias = label("pix"),
                           .provider_id = "pix",
                           .provider_name = "PIX BR Code",
                           .environment = Environment::kLive},
                          {.id = mint<ConnectionId>(context.ids, 2),
                           .alias = label("sandbox"),
                           .provider_id = "sandbox",
                           .provider_name = "Sandbox",
                           .environment = Environment::kSandbox}}};
  auto decision = record(project_stream(id), id, ProjectEvent(std::move(created)));
  for (const auto& key : command.keys) {
    ApiKeyIssued issued{.id = key.id,
                        .project = id,
                        .environment = key.environment,
                        .hash = key.hash,
                        .scopes = ScopeSet::all(),
                        .expires_at = std::nullopt,
                        .allowed_callers = {},
                        .last_four = key.last_four};
    decision.events.push_back({api_key_stream(key.id), id, ApiKeyEvent(std::move(issued))});
  }
  return decision;
}

Decision decide(const Project* project, const ChangeStoreSettings& command, const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  auto settings = changed(project->settings, command.change);
  if (project->settings == settings) return nothing_to_do();
  return record(project_stream(command.project), command.project,
                ProjectEvent(StoreSettingsChanged{std::move(settings)}));
}

Decision decide(const Project* project, const AddConnection& command, const Context& context) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  if (has_alias(*project, command.environment, command.alias))
    return refuse(Rejection::kConnectionAliasTaken);
  if (project->connections.size() >= kConnectionsPerProjectMax) return refuse(Rejection::kConnectionLimit);
  Connection connection{.id = mint<ConnectionId>(context.ids, 0),
                        .alias = command.alias,
                        .provider_id = command.provider_id.text(),
                        .provider_name = command.provider_name.text(),
                        .environment = command.environment};
  return record(project_stream(command.project), command.project,
                ProjectEvent(ConnectionAdded{std::move(connection)}));
}

Decision decide(const Project* project, const SetDefaultConnection& command, const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  const auto* connection = connection_of(*project, command.connection);
  if (!connection) return refuse(Rejection::kUnknownConnection);
  if (!connection->is_enabled()) return refuse(Rejection::kConnectionDisabled);
  if (default_connection(*project, connection->environment) == connection) return nothing_to_do();
  return record(project_stream(command.project), command.project,
                ProjectEvent(DefaultConnectionSet{connection->id, connection->environment}));
}

}  // namespace pixledger::domain
