#include <iostream>

#include "eventstore/clock_guard.h"
#include "eventstore/process/signals.h"
#include "tools/commands.h"

namespace pixledger::tools {
namespace {

int accept_clock(const Tool& tool) {
  const eventstore::HeldSignals held;
  auto log = tool.open_log_to_write();
  log.accept_clock(eventstore::read_clock(tool.clock));
  std::cout << "The clock, " << domain::to_iso8601(tool.clock.now()) << ", is accepted; writes go on.\n";
  return kExitDone;
}

}  // namespace

void add_clock_commands(CLI::App& program, Tool& tool) {
  CLI::App* group = add_group(program, "clock", "What to do after the clock jumped");
  add_command(*group, tool, "accept", "The clock is right as it is now: let writes go on",
              [&tool] { return accept_clock(tool); });
}

}  // namespace pixledger::tools
