#pragma once

#include <string>

#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::tools {

// The target of sharing a ledger.
struct ShareTarget {
  eventstore::NodeFile node;    // the node file that the data directory gets
  eventstore::LedgerUri owner;  // of a role that may create a schema there
  bool was_begun = false;       // an earlier command has started it
};
// From --ledger, --node and --ledger-owner (empty: the servers' role itself, which can only finish a started
// run). Missing options come from the started run, if any; otherwise the node is called `first`. Throws
// UsageError, and std::runtime_error if it was started with another --ledger.
ShareTarget share_target(const eventstore::LedgerOptions& options, const std::string& ledger_owner);

// The tree in the data directory, and in the database.
struct SharedTrees {
  Position size;
  Digest here;
  Digest there;
};

// Copies the ledger of a data directory and its workers' state into an empty database, all or nothing; the
// directory becomes the first node. Throws std::runtime_error if a program uses the directory, or if the
// outcome is unknown and the command must be repeated. Also throws as share_ledger does: LogUnavailable and
// LedgerMismatch mean that nothing was done.
SharedTrees share_ledger(const DataDirectory& data, const eventstore::LmdbOptions& options,
                         const ShareTarget& target);

// Abandons a failed start: the directory is a machine's own again. Throws as above, and as give_up_sharing
// does.
void give_up_sharing(const DataDirectory& data, const eventstore::LmdbOptions& options,
                     const ShareTarget& target);

}  // namespace pixledger::tools
