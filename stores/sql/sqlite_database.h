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

// A SQLite file. `mode` is SQLite's: "ro", "rw", or "rwc", which makes the file where there is none. Throws
// Poco::Exception.
Poco::Data::Session open_sqlite(const std::filesystem::path& file, const char* mode);

// To read a file that others may write meanwhile, or that nobody can write: SQLite then makes no files of its
// own beside it, which is safe as long as nobody writes it. Throws as above.
Poco::Data::Session open_sqlite_to_read(const std::filesystem::path& file);

// The same for who may not leave anything beside it: without a log there nobody writes it now, and SQLite
// makes no files of its own to read it, even where it may; this process could not remove them again. Throws
// as above.
Poco::Data::Session open_sqlite_untouched(const std::filesystem::path& file);

// A worker's database in a file. POCO opens it and has the names of what goes wrong; the statements run in
// SQLite itself, which tells how many columns they have, and each is prepared once.
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
  // Up to its end, or the next row, which is what it says then.
  bool step(sqlite3_stmt* statement);

  Poco::Data::Session session_;
  sqlite3* const handle_;
  std::unordered_map<std::string, sqlite3_stmt*> prepared_;
};

// A column of milliseconds, or of NULL.
using OptionalInteger = Poco::Nullable<Poco::Int64>;

inline std::optional<Timestamp> to_moment(const OptionalInteger& millis) {
  if (millis.isNull()) return std::nullopt;
  return Timestamp(millis.value());
}

}  // namespace pixledger::stores
