#include "tools/cli/crash_handler.h"
#include "tools/cli/whole_errors.h"
#include "tools/commands/commands.h"

int main(int argc, char** argv) {
  using namespace pixledger;
  tools::end_crashes_as_faults();
  tools::CommandContext context;
  context.actor = tools::operator_name();
  auto program = tools::declare_program(context);
  return eventstore::run_on_ledger(program, context.common, argc, argv, ProgramKind::kCommand,
                                   [&context] { return tools::run_with_whole_errors(context.chosen); });
}
