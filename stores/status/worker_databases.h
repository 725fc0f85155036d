#pragma once

#include <filesystem>
#include <optional>

#include "eventstore/reading/log_cursor.h"
#include "stores/databases/worker_stores.h"

// The databases of the workers that must not lose anything, as files, from outside: for backups.
namespace pixledger::stores {

// Copies the database as it is at one moment, while its worker may go on. The copy must not be there yet; it
// is not durable on return. Throws Poco::Exception.
void copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

// How far its worker had come; nullopt when it had not started. Throws Poco::Exception, std::runtime_error
// when it is damaged.
std::optional<eventstore::LogCursor> cursor_of_database(const std::filesystem::path& file);

// Forgets what events after a position asked for, and that the worker had come further: the ledger ends
// there, and those positions will be of other events. Throws Poco::Exception.
void cut_database(const WorkerDatabase& database, const std::filesystem::path& file, Position last,
                  const Digest& leaf_hash);

}  // namespace pixledger::stores
