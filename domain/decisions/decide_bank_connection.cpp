#include "domain/aggregates/take_over.h"
#include "domain/decisions/decide.h"

namespace pixledger::domain {
namespace {

bool changes_terms(const ConnectionChange& change) {
  return change.pix_key || change.code || change.fallback || change.code_deadline_ms;
}

Connection changed(Connection connection, const ConnectionChange& change) {
  take_over(connection.alias, change.alias);
  if (change.provider_name) connection.provider_name = change.provider_name->text();
  take_over(connection.state, change.state);
  if (auto& terms = connection.api_pix) {
    take_over(terms->pix_key, change.pix_key);
    take_over(terms->code, change.code);
    take_over(terms->fallback, change.fallback);
    take_over(terms->code_deadline_ms, change.code_deadline_ms);
  }
  return connection;
}

NewEvent configured(const ConnectionId& id, const ProjectId& project,
                    const BankConfiguration& configuration) {
  return {connection_stream(id), project,
          BankConnectionEvent(
              ConnectionConfigured{.id = id, .project = project, .configuration = configuration})};
}

}  // namespace

Decision decide(const Project* project, const BankConnection* there, const AddBankConnection& command,
                const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  if (has_alias(*project, command.environment, command.alias))
    return refuse(Rejection::kConnectionAliasTaken);
  if (project->connections.size() >= kConnectionsPerProjectMax) return refuse(Rejection::kConnectionLimit);
  if (there || connection_of(*project, command.id)) return refuse(Rejection::kConnectionChangedMeanwhile);
  Connection connection{.id = command.id,
                        .alias = command.alias,
                        .provider_id = std::string(kApiPixProvider),
                        .provider_name = command.provider_name.text(),
                        .environment = command.environment,
                        .api_pix = command.api_pix};
  auto decision = record(project_stream(command.project), command.project,
                         ProjectEvent(ConnectionAdded{std::move(connection)}));
  decision.events.push_back(configured(command.id, command.project, command.configuration));
  return decision;
}

Decision decide(const Project* project, const BankConnection* bank, const ChangeConnection& command,
                const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  const auto* before = connection_of(*project, command.connection);
  if (!before) return refuse(Rejection::kUnknownConnection);
  if (!before->api_pix && (command.configuration || changes_terms(command.change)))
    return refuse(Rejection::kNotApiPix);
  auto after = changed(*before, command.change);
  if (after.alias != before->alias && has_alias(*project, after.environment, after.alias))
    return refuse(Rejection::kConnectionAliasTaken);
  if (!after.is_enabled() && default_connection(*project, after.environment) == before)
    return refuse(Rejection::kConnectionIsDefault);
  if (command.configuration && (!bank || bank->revision != command.configuration->made_from))
    return refuse(Rejection::kConnectionChangedMeanwhile);
  Decision decision;
  if (after != *before)
    decision = record(project_stream(command.project), command.project,
                      ProjectEvent(ConnectionChanged{std::move(after)}));
  if (command.configuration && command.configuration->configuration != bank->configuration)
    decision.events.push_back(
        configured(command.connection, command.project, command.configuration->configuration));
  return decision;
}

Decision decide(const BankConnection* bank, const NoteCallback& command, const Context&) {
  if (!bank) return refuse(Rejection::kUnknownConnection);
  if (bank->callback_url == command.url) return nothing_to_do();
  const auto stream = connection_stream(bank->id);
  if (!command.url) return record(stream, bank->project, BankConnectionEvent(CallbackRemoved{}));
  return record(stream, bank->project, BankConnectionEvent(CallbackRegistered{*command.url}));
}

}  // namespace pixledger::domain
