#pragma once

#include <filesystem>
#include <memory>

#include "stores/sql/sql_database.h"

// A worker's database in an SQLite file. Opening it throws std::system_error, with the file's name, if the
// system refuses that, and Poco::Exception otherwise.
namespace pixledger::stores {

// `mode` is SQLite's: "ro", "rw", or "rwc", which creates a missing file.
std::unique_ptr<SqlDatabase> open_sqlite(const std::filesystem::path& file, const char* mode);

// Opens a file for reading that others may write meanwhile. If there is no log file and this process may not
// write here, SQLite creates no files beside it. That is safe while nothing writes the file.
std::unique_ptr<SqlDatabase> open_sqlite_to_read(const std::filesystem::path& file);

// Opens a file for reading without leaving files beside it. Without a log file there is no writer, and SQLite
// then creates no files, even where it could; this process could not delete them.
std::unique_ptr<SqlDatabase> open_sqlite_untouched(const std::filesystem::path& file);

}  // namespace pixledger::stores
