#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/values/position.h"
#include "base/values/timestamp.h"

// The database of a worker: a file of SQLite's on one machine, tables in PostgreSQL where machines share the
// ledger. Statements are the same for both, but for what the schemas (delivery_schema, email_schema) keep
// apart.
namespace pixledger::stores {

// What a statement takes at $1, $2 …; monostate is NULL.
using SqlValue = std::variant<std::monostate, std::int64_t, std::string>;
using SqlValues = std::vector<SqlValue>;

inline SqlValue sql(const std::optional<Timestamp>& moment) {
  return moment ? SqlValue(moment->millis()) : SqlValue();
}
inline SqlValue sql(Timestamp moment) { return moment.millis(); }
inline SqlValue sql(Position position) { return static_cast<std::int64_t>(position.value()); }
template <class Number>
SqlValue sql_number(Number number) {
  return static_cast<std::int64_t>(number);
}

// A row that a statement gives. Throws WorkerDatabaseDamaged where a column is not of the kind asked for.
class SqlRow {
 public:
  explicit SqlRow(std::vector<std::optional<std::string>> columns) : columns_(std::move(columns)) {}

  std::size_t size() const { return columns_.size(); }
  bool is_null(std::size_t column) const { return !columns_.at(column); }
  const std::string& text(std::size_t column) const;
  std::int64_t integer(std::size_t column) const;
  template <class Number>
  Number as(std::size_t column) const {
    return static_cast<Number>(integer(column));
  }
  std::optional<Timestamp> moment(std::size_t column) const;
  // For another database.
  SqlValue value(std::size_t column) const;

 private:
  std::vector<std::optional<std::string>> columns_;
};

struct SqlResult {
  std::vector<SqlRow> rows;
  std::size_t changed = 0;  // rows that it added, changed or removed
};

// Used by one thread at a time. Throws Poco::Exception when SQLite fails; LogUnavailable when PostgreSQL did
// nothing, and of a commit LogOutcomeUnknown when nobody knows whether it did.
class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  // One statement. What it changes is to be part of a transaction.
  virtual SqlResult run(const std::string& statement, const SqlValues& values = {}) = 0;
  // The statement for each of these, in their order.
  virtual void run_each(const std::string& statement, const std::vector<SqlValues>& rows) = 0;

  // In PostgreSQL: the two dialects.
  virtual bool is_shared() const = 0;

  // The first column of the only row, or of the first one.
  std::int64_t integer(const std::string& statement, const SqlValues& values = {}) {
    return run(statement, values).rows.at(0).integer(0);
  }

 private:
  friend class SqlTransaction;
  friend class SqlMoment;
  virtual void begin() = 0;
  virtual void begin_reading() = 0;
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
};

// Rolls back unless committed. From its beginning on there is no other that writes, in any process or on any
// machine.
class SqlTransaction {
 public:
  explicit SqlTransaction(SqlDatabase& database) : database_(database) { database_.begin(); }
  ~SqlTransaction() {
    if (is_open_) database_.roll_back();
  }
  SqlTransaction(const SqlTransaction&) = delete;
  SqlTransaction& operator=(const SqlTransaction&) = delete;

  void commit() {
    database_.commit();
    is_open_ = false;
  }

 private:
  SqlDatabase& database_;
  bool is_open_ = true;
};

// What is read during its life is of one moment; nothing is changed.
class SqlMoment {
 public:
  explicit SqlMoment(SqlDatabase& database) : database_(database) { database_.begin_reading(); }
  ~SqlMoment() { database_.roll_back(); }
  SqlMoment(const SqlMoment&) = delete;
  SqlMoment& operator=(const SqlMoment&) = delete;

 private:
  SqlDatabase& database_;
};

}  // namespace pixledger::stores
