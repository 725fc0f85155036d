#include <iostream>

#include "eventstore/platform/json.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

int init(CommandContext& context) {
  if (!context.create())
    return say_no("there is a ledger in " + context.common.data.root.string() + " already");
  const auto ledger = context.open();
  const std::string& id = ledger.log->identity().ledger_id;
  if (context.json) {
    std::cout << eventstore::Json().begin_object().field("ledgerId", id).end_object().take_line();
    return kExitDone;
  }
  std::cout << "An empty ledger, " << id << ", is in " << context.common.data.root.string() << ".\n"
            << "Keep a copy of " << context.common.data.keys().string()
            << " in a safe place: without it sealed secrets are lost.\n";
  return kExitDone;
}

}  // namespace

void add_init_command(CommandLine& program, CommandContext& context) {
  CommandLine command = add_command(program, context, "init", "Make an empty data directory",
                                    [&context] { return init(context); });
  add_json_option(command, context);
}

}  // namespace pixledger::tools
