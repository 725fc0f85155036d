#include <iostream>

#include "tools/commands.h"
#include "tools/json.h"
#include "tools/lookup.h"
#include "tools/store_json.h"
#include "tools/table.h"

namespace pixledger::tools {
namespace {

int list(const Tool& tool, const std::string& project_text) {
  const auto id = parse_project(project_text);
  const auto log = tool.open_log();
  const auto project = find_project(log, id);
  if (!project) return say_no(domain::Rejection::kProjectNotFound);
  if (tool.json) {
    Json json;
    write_connections(json, project->connections);
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

void add_connection_commands(CLI::App& program, Tool& tool) {
  CLI::App* group = add_group(program, "connection", "The ways money comes in");
  const auto project = std::make_shared<std::string>();
  CLI::App* command = add_command(*group, tool, "list", "A project's connections",
                                  [&tool, project] { return list(tool, *project); });
  command->add_option("--project", *project, "The project's id")->required();
  add_json_option(*command, tool);
}

}  // namespace pixledger::tools
