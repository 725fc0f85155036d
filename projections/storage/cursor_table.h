#pragma once

#include <optional>

#include "projections/storage/log_cursor.h"
#include "projections/storage/sql_database.h"

namespace Poco::Data {
class Session;
}  // namespace Poco::Data

// How far the worker of a database has come: the one row of its table `cursor`.
namespace pixledger::projections {

// In SQLite.
constexpr const char* kMakeCursorTable =
    "CREATE TABLE cursor (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), text TEXT NOT NULL)";

// nullopt: no worker has started on this database yet. Throws WorkerDatabaseDamaged, and what the database
// does.
std::optional<LogCursor> select_cursor(SqlDatabase& database);

// The same for a look from outside: nullopt also where the worker was stopped while it made the file.
std::optional<LogCursor> find_cursor(SqlDatabase& database);

// Part of the caller's transaction.
void save_cursor(SqlDatabase& database, const LogCursor& cursor);

// Of who has a session of POCO's own. Throw Poco::Exception.
std::optional<LogCursor> select_cursor(Poco::Data::Session& session);
std::optional<LogCursor> find_cursor(Poco::Data::Session& session);
void save_cursor(Poco::Data::Session& session, const LogCursor& cursor);

}  // namespace pixledger::projections
