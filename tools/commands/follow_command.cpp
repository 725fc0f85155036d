#include "base/platform/signals.h"
#include "eventstore/ledger.h"
#include "tools/commands/commands.h"
#include "workers/follow/follow.h"

namespace pixledger::tools {
namespace {

struct FollowCommand {
  FollowOptions options;
  workers::FollowFlags flags;
};

}  // namespace

void add_follow_command(CommandLine& program, CommandContext& context) {
  const auto given = std::make_shared<FollowCommand>();
  CommandLine command = add_command(program, context, "follow", "Copy the ledger to other places as it grows",
                                    [&context, given] {
                                      block_stop_signals();
                                      eventstore::Ledger::refuse_missing(context.common.data);
                                      return workers::follow(context.common, given->options, given->flags);
                                    });
  add_follow_options(command, given->options, FollowNames::kShortToo);
  workers::add_follow_flags(command, given->flags);
}

}  // namespace pixledger::tools
