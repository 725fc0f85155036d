#include <iostream>

#include "base/platform/json.h"
#include "base/platform/signals.h"
#include "eventstore/executor/clock_guard.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

int accept_clock(const CommandContext& context) {
  const HeldSignals held;
  const auto log = context.open_log_to_write();
  log->accept_clock(eventstore::read_clock(context.clock));
  const auto accepted = to_iso8601(context.clock.now());
  if (context.json)
    std::cout << Json().begin_object().field("accepted", accepted).end_object().take_line();
  else
    std::cout << "The clock, " << accepted << ", is accepted; writes go on.\n";
  return kExitDone;
}

}  // namespace

void add_clock_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "clock", "What to do after the clock jumped");
  CommandLine command =
      add_command(group, context, "accept", "The clock is right as it is now: let writes go on",
                  [&context] { return accept_clock(context); });
  add_json_option(command, context);
}

}  // namespace pixledger::tools
