#pragma once

#include <Poco/Data/Session.h>
#include <string>
#include <unordered_map>

#include "stores/sql/sql_database.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pixledger::stores {

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

}  // namespace pixledger::stores
