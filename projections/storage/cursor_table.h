#pragma once

#include <Poco/Data/Session.h>
#include <optional>

#include "projections/storage/log_cursor.h"

// How far the worker of a SQLite database has come: the one row of its table `cursor`.
namespace pixledger::projections {

constexpr const char* kMakeCursorTable =
    "CREATE TABLE cursor (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), text TEXT NOT NULL)";

// nullopt: no worker has started on this database yet. Throws WorkerDatabaseDamaged, Poco::Exception.
std::optional<LogCursor> select_cursor(Poco::Data::Session& session);

// The same for a look from outside: nullopt also where the worker was stopped while it made the file.
std::optional<LogCursor> find_cursor(Poco::Data::Session& session);

// Throws Poco::Exception.
void save_cursor(Poco::Data::Session& session, const LogCursor& cursor);

}  // namespace pixledger::projections
