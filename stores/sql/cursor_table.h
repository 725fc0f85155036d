#pragma once

#include <optional>

#include "eventstore/reading/log_cursor.h"
#include "stores/sql/sql_database.h"

namespace Poco::Data {
class Session;
}  // namespace Poco::Data

// How far the worker of a database has come: the one row of its table `cursor`.
namespace pixledger::stores {

// In SQLite.
constexpr const char* kMakeCursorTable =
    "CREATE TABLE cursor (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), text TEXT NOT NULL)";

// nullopt: no worker has started on this database yet. Throws WorkerDatabaseDamaged, and what the database
// does.
std::optional<eventstore::LogCursor> select_cursor(SqlDatabase& database);

// The same for a look from outside: nullopt also where the worker was stopped while it made the file.
std::optional<eventstore::LogCursor> find_cursor(SqlDatabase& database);

// Part of the caller's transaction.
void save_cursor(SqlDatabase& database, const eventstore::LogCursor& cursor);

// Of who has a session of POCO's own. Throw Poco::Exception.
std::optional<eventstore::LogCursor> select_cursor(Poco::Data::Session& session);
std::optional<eventstore::LogCursor> find_cursor(Poco::Data::Session& session);
void save_cursor(Poco::Data::Session& session, const eventstore::LogCursor& cursor);

}  // namespace pixledger::stores
