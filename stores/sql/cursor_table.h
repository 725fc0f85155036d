#pragma once

#include <optional>

#include "eventstore/reading/log_cursor.h"
#include "stores/sql/sql_database.h"

// The log cursor of a database's worker: the only row of its table `cursor`.
namespace pixledger::stores {

// For SQLite.
constexpr const char* kMakeCursorTable =
    "CREATE TABLE cursor (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), text TEXT NOT NULL)";

// Nullopt if no worker has started on this database. Throws DataDamaged and the database's errors.
std::optional<eventstore::LogCursor> select_cursor(SqlDatabase& database);

// For other processes: also nullopt if the worker was stopped while creating the file.
std::optional<eventstore::LogCursor> find_cursor(SqlDatabase& database);

// Part of the caller's transaction.
void save_cursor(SqlDatabase& database, const eventstore::LogCursor& cursor);

// Begins a worker's work, at `start` or where it ended. On return the cursor is synced to disk, with all that
// was committed before. Commits to a file are synced until then, and no longer: see begin_work() of the
// repositories.
void begin_work(SqlDatabase& database, std::optional<eventstore::LogCursor> start);

}  // namespace pixledger::stores
