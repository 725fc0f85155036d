#include <iostream>

#include "tools/commands.h"
#include "tools/json.h"

namespace pixledger::tools {
namespace {

int init(Tool& tool) {
  if (!tool.create()) return say_no("there is a ledger in " + tool.common.data.root.string() + " already");
  const auto ledger = tool.open();
  const std::string& id = ledger.log->identity().ledger_id;
  if (tool.json) {
    std::cout << Json().begin_object().field("ledgerId", id).end_object().take_line();
    return kExitDone;
  }
  std::cout << "An empty ledger, " << id << ", is in " << tool.common.data.root.string() << ".\n"
            << "Keep a copy of " << tool.common.data.keys().string()
            << " in a safe place: without it sealed secrets are lost.\n";
  return kExitDone;
}

}  // namespace

void add_init_command(CLI::App& program, Tool& tool) {
  CLI::App* command =
      add_command(program, tool, "init", "Make an empty data directory", [&tool] { return init(tool); });
  add_json_option(*command, tool);
}

}  // namespace pixledger::tools
