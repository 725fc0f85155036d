#pragma once

#include "base/process/service_options.h"
#include "eventstore/ledger_options.h"

namespace pixledger::workers {

struct FollowFlags {
  bool once = false;       // copies what is there, then returns
  bool take_over = false;  // targets of another epoch of this ledger
};
void add_follow_flags(CommandLine& line, FollowFlags& flags);

// Copies a ledger, and the state of workers and accounts, to targets until the process is asked to stop. A
// target that fails is tried again, and delays no other. block_stop_signals() must have been called. Returns
// the exit code: kExitFault if no target can ever be written again, and with `once` if one has not all.
int follow(const eventstore::LedgerOptions& options, const FollowOptions& follow, const FollowFlags& flags);

}  // namespace pixledger::workers
