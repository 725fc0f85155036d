#pragma once

#include <string>

#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::tools {

// Where a ledger goes that machines are to share.
struct ShareTarget {
  eventstore::NodeFile node;    // what the data directory becomes
  eventstore::LedgerUri owner;  // of a role that may make a schema there
  bool was_begun = false;       // by a command before this one
};
// By --ledger, --node and --ledger-owner (empty: the servers' role itself, which only finishes what was
// begun). What is not given is as it was where that was begun; else the node is called `first`. Throws
// UsageError, and std::runtime_error where it was begun with another --ledger.
ShareTarget share_target(const eventstore::LedgerOptions& options, const std::string& ledger_owner);

// The tree as the data directory has it, and as the database has it now.
struct SharedTrees {
  Position size;
  Digest here;
  Digest there;
};

// Puts the ledger of a data directory into a database that has none, with what its workers have told already,
// all or nothing; the directory becomes the first node. Throws std::runtime_error where a program is at work
// in the directory, or it may have been done and is to be done again, and what share_ledger does;
// LogUnavailable and LedgerMismatch only where nothing was done.
SharedTrees share_ledger(const DataDirectory& data, const eventstore::LmdbOptions& options,
                         const ShareTarget& target);

// Gives up what was begun and has come to nothing: the directory is a machine's own again. Throws as above,
// and what give_up_sharing does.
void give_up_sharing(const DataDirectory& data, const eventstore::LmdbOptions& options,
                     const ShareTarget& target);

}  // namespace pixledger::tools
