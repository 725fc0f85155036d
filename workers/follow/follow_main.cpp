#include "base/platform/signals.h"
#include "workers/common/mains.h"
#include "workers/follow/follow.h"

int pixledger::workers::follow_main(int argc, char** argv) {
  block_stop_signals();
  CommandLine app("Copies a pixledger ledger to other places as it grows");
  eventstore::LedgerOptions options;
  FollowOptions follow_options;
  FollowFlags flags;
  add_common_options(app, options);
  add_follow_options(app, follow_options, FollowNames::kShortToo);
  add_follow_flags(app, flags);
  return eventstore::run_on_ledger(app, options, argc, argv, ProgramKind::kService,
                                   [&] { return follow(options, follow_options, flags); });
}
