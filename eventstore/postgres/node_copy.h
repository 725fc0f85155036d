#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/shared_node.h"

// A node's copy of the ledger: `ledger/` of its data directory.
namespace pixledger::eventstore {

// Opens the copy. If it is missing or not trusted, fetches it first, and removes views that were made of
// another one. A copy is not trusted once it was found bad, nor after a restart of the machine, as it is not
// synced to the disk: PostgreSQL has it. Throws LogUnavailable if it must be fetched and PostgreSQL cannot be
// reached, LedgerMismatch, and std::runtime_error if programs keep using what would be replaced.
std::unique_ptr<LmdbLog> open_copy(const SharedNode& node, LmdbOptions options);

// Notes that the current copy is trusted while the machine runs.
void mark_as_opened(const SharedNode& node);

// Notes that the next program that opens the copy must fetch another, and why.
void mark_as_bad(const SharedNode& node, const std::string& problem);
// The file with that note.
std::filesystem::path mark_of_bad_copy(const SharedNode& node);
// The file without which the copy is not trusted.
std::filesystem::path mark_of_trust(const SharedNode& node);
// Why it would be fetched again; nullopt: it is trusted.
std::optional<std::string> problem_of_copy(const SharedNode& node);
// What was noted of an existing copy that was found to be bad; nullopt: nothing.
std::optional<std::string> mark_on_copy(const SharedNode& node);
// The UserLock of programs that have the copy open: it is not replaced meanwhile.
std::filesystem::path users_of_copy(const SharedNode& node);

}  // namespace pixledger::eventstore
