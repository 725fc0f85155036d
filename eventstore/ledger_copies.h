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

// Why a node's copy was found to be bad, if it is still there: the next program to open it fetches another.
// nullopt: the copy is good, or the directory is no node's.
std::optional<std::string> mark_on_copy(const DataDirectory& directory);

// The copies that a node has kept beside its own (postgres/kept_copy.h).
std::vector<std::filesystem::path> kept_copies(const DataDirectory& directory);

// Opens a node's copy if it is there and may be used, without fetching another. Throws what LMDB's log throws
// where the copy is damaged.
void try_copy(const DataDirectory& directory, LmdbOptions options);

// Opens a node's copy to read it as it lies, even if it was found to be bad or the machine was started again
// since: only a reader of the whole copy can judge it. Does not connect to PostgreSQL. Null: no copy is
// there.
std::unique_ptr<LedgerLog> open_copy_alone(const DataDirectory& directory, LmdbOptions options);

// The log that a check of this machine's files reads: of a node its copy, which ends no process that finds it
// damaged; otherwise `log` itself.
const LedgerLog& log_on_disk(const LedgerLog& log);

// Throws std::runtime_error, with advice, for a copy whose directory has lost the file that names its ledger.
void refuse_orphaned_copy(const DataDirectory& directory, const LmdbLog& log);

}  // namespace pixledger::eventstore
