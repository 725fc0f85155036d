#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/shared_node.h"

// A node's copy of the ledger: `ledger/` of its data directory.
namespace pixledger::eventstore {

// Opens it; where there is none, or none that can be trusted, it is fetched first, and views that were made
// of another one go. It cannot be trusted once it was found astray, nor when the machine has been started
// again since, as it is not synced with the disk: PostgreSQL has it. Throws LogUnavailable when it would have
// to be fetched and PostgreSQL cannot be reached, LedgerMismatch, and std::runtime_error where programs go on
// using what would be replaced.
std::unique_ptr<LmdbLog> open_copy(const SharedNode& node, LmdbOptions options);

// Notes that the copy that is there can be trusted, for as long as the machine runs.
void mark_as_opened(const SharedNode& node);

// Notes that it is to be fetched anew by the next program that opens it, and why.
void mark_as_bad(const SharedNode& node, const std::string& problem);
// The file that says so.
std::filesystem::path mark_of_bad_copy(const SharedNode& node);
// The file without which it cannot be trusted.
std::filesystem::path mark_of_trust(const SharedNode& node);
// Why it would be fetched anew; nullopt: it can be trusted.
std::optional<std::string> problem_of_copy(const SharedNode& node);
// What was noted of one that is there and was found to be bad; nullopt: nothing.
std::optional<std::string> mark_on_copy(const SharedNode& node);
// The UserLock of who has it open: nobody replaces it meanwhile.
std::filesystem::path users_of_copy(const SharedNode& node);

}  // namespace pixledger::eventstore
