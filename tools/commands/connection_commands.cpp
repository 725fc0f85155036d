#include <iostream>
#include <optional>

#include "eventstore/codec/event_json.h"
#include "eventstore/platform/json.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using domain::Environment;

struct ConnectionOptions {
  std::string project;
  std::string environment;
  std::string alias;
  std::optional<std::string> provider_id;
  std::optional<std::string> provider_name;
};

domain::AddConnection command_of(const ConnectionOptions& options) {
  const bool live = options.environment == "live";
  // Of the provider that the project's first connection of that environment has, unless another is named.
  const std::string id = options.provider_id.value_or(live ? "pix" : "sandbox");
  const std::string name =
      options.provider_name.value_or(options.provider_id.value_or(live ? "PIX BR Code" : "Sandbox"));
  return {parse_project(options.project), live ? Environment::kLive : Environment::kSandbox,
          parse_option<domain::Label>("--alias", options.alias),
          parse_option<domain::Label>("--provider-id", id),
          parse_option<domain::Label>("--provider-name", name)};
}

domain::ConnectionId added_by(const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ProjectEvent>(completed.events().front().event);
  return std::get<domain::ConnectionAdded>(event).connection.id;
}

int add(CommandContext& context, const ConnectionOptions& options) {
  auto command = command_of(options);
  auto ledger = context.open();
  const auto added = execute(context, ledger, std::move(command));
  if (!added) return kExitNo;
  const auto id = added_by(*added);
  if (context.json) {
    std::cout << eventstore::Json().begin_object().field("connectionId", id.text()).end_object().take_line();
    return kExitDone;
  }
  print_facts(std::cout, {{"connection", id.text()}});
  std::cout << "\nA charge takes it by its connectionId; without one it takes the environment's first.\n";
  return kExitDone;
}

int list(const CommandContext& context, const ConnectionOptions& options) {
  const auto id = parse_project(options.project);
  const auto log = context.open_log();
  const auto project = find_project(*log, id);
  if (!project) return say_no(domain::Rejection::kProjectNotFound);
  if (context.json) {
    eventstore::Json json;
    eventstore::write_connections(json, project->connections);
    std::cout << json.take_line();
    return kExitDone;
  }
  std::vector<Row> rows;
  for (const domain::Connection& connection : project->connections) {
    rows.push_back({connection.id.text(), connection.alias.text(), connection.provider_name,
                    std::string(domain::to_string(connection.environment))});
  }
  print_table(std::cout, {"CONNECTION", "ALIAS", "PROVIDER", "ENVIRONMENT"}, rows);
  return kExitDone;
}

}  // namespace

void add_connection_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "connection", "The ways money comes in");
  const auto options = std::make_shared<ConnectionOptions>();

  CommandLine command = add_command(group, context, "add", "Add a connection",
                                    [&context, options] { return add(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--env", options->environment, "live or test").required().one_of({"live", "test"});
  command.add_option("--alias", options->alias, "What people call it; once in an environment").required();
  command.add_option("--provider-id", options->provider_id,
                     "Who brings the money in; pix or sandbox unless given");
  command.add_option("--provider-name", options->provider_name,
                     "What people call the provider; its id unless given, or PIX BR Code or Sandbox");
  add_json_option(command, context);

  command = add_command(group, context, "list", "A project's connections",
                        [&context, options] { return list(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
