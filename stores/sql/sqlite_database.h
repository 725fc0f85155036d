#pragma once

#include <Poco/Data/Session.h>
#include <Poco/Nullable.h>
#include <Poco/Types.h>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/values/timestamp.h"
#include "stores/sql/sql_database.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pixledger::stores {

// Opens an SQLite file. `mode` is SQLite's: "ro", "rw", or "rwc", which creates a missing file. Throws
// Poco::Exception.
Poco::Data::Session open_sqlite(const std::filesystem::path& file, const char* mode);

// Opens a file for reading that others may write meanwhile. If there is no log file and this process may not
// write here, SQLite creates no files beside it. That is safe while nothing writes the file. Throws as above.
Poco::Data::Session open_sqlite_to_read(const std::filesystem::path& file);

// Opens a file for reading without leaving files beside it. Without a log file there is no writer, and SQLite
// then creates no files, even where it could; this process could not delete them. Throws as above.
Poco::Data::Session open_sqlite_untouched(const std::filesystem::path& file);

// A worker's database in a file. POCO opens it and provides the exceptions. Statements run in SQLite itself,
// which reports their column counts; each is prepared once.
class SqliteDatabase final : public SqlDatabase {
 public:
  explicit SqliteDatabase(Poco::Data::Session session);
  ~SqliteDatabase() override;
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  SqlResult run(const std::string& statement, const SqlValues& values = {}) override;
  void run_each(const std::string& statement, const std::vector<SqlValues>& rows) override;
  bool is_shared() const override { return false; }

 private:
  void begin() override;
  void begin_reading() override;
  void commit() override;
  void roll_back() noexcept override;

  sqlite3_stmt* prepared(const std::string& statement);
  void bind(sqlite3_stmt* statement, const SqlValues& values);
  // Steps to the end, or to the next row and then returns true.
  bool step(sqlite3_stmt* statement);

  Poco::Data::Session session_;
  sqlite3* const handle_;
  std::unordered_map<std::string, sqlite3_stmt*> prepared_;
};

// Milliseconds, or NULL.
using OptionalInteger = Poco::Nullable<Poco::Int64>;

inline std::optional<Timestamp> to_moment(const OptionalInteger& millis) {
  if (millis.isNull()) return std::nullopt;
  return Timestamp(millis.value());
}

}  // namespace pixledger::stores
