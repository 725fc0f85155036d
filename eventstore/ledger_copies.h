#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/ledger.h"

// A node's copies of a shared ledger, as they lie in its data directory.
namespace pixledger::eventstore {

class LmdbLog;

// Returns why a node's copy that still exists was found to be bad. The next program to open it fetches
// another. nullopt: the copy is good, or the directory is no node's.
std::optional<std::string> mark_on_copy(const DataDirectory& directory);

// The copies that a node has kept beside its own (postgres/kept_copy.h).
std::vector<std::filesystem::path> kept_copies(const DataDirectory& directory);

// Opens a node's copy if it is there and may be used, without fetching another. Throws what LMDB's log throws
// where the copy is damaged.
void try_copy(const DataDirectory& directory, LmdbOptions options);

// Opens a node's copy to read it as it is, even if it was found bad or the machine has restarted since. Only
// a reader of the whole copy can judge it. Does not connect to PostgreSQL. Null if there is no copy.
std::unique_ptr<LedgerLog> open_copy_alone(const DataDirectory& directory, LmdbOptions options);

// Returns the log to read when checking this machine's files. A node's copy is opened so that damage does not
// end the process; otherwise returns `log` itself.
const LedgerLog& log_on_disk(const LedgerLog& log);

// Throws std::runtime_error, with advice, if a copy's directory has lost the file that names its ledger.
void refuse_orphaned_copy(const DataDirectory& directory, const LmdbLog& log);

}  // namespace pixledger::eventstore
