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

// A worker's database: an SQLite file on one machine, or PostgreSQL tables if machines share the ledger.
// Statements are the same for both, except those in the schemas (delivery_schema, email_schema).
namespace pixledger::stores {

// The value of a statement's $1, $2 …; monostate is NULL.
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

// A row of a statement's result. Throws DataDamaged if a column is not of the requested type.
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
  // To copy into another database.
  SqlValue value(std::size_t column) const;

 private:
  std::vector<std::optional<std::string>> columns_;
};

struct SqlResult {
  std::vector<SqlRow> rows;
  std::size_t changed = 0;  // rows inserted, updated or deleted
};

// Used by one thread at a time. Throws std::system_error if the kernel refuses SQLite a write,
// Poco::Exception if SQLite fails otherwise. Throws LogUnavailable if PostgreSQL did nothing, and
// LogOutcomeUnknown if the outcome of a commit is unknown.
class SqlDatabase {
 public:
  virtual ~SqlDatabase() = default;

  // Runs one statement. Changes must be part of a transaction.
  virtual SqlResult run(const std::string& statement, const SqlValues& values = {}) = 0;
  // Runs the statement once per row, in order.
  virtual void run_each(const std::string& statement, const std::vector<SqlValues>& rows) = 0;

  // True for PostgreSQL; selects the SQL dialect.
  virtual bool is_shared() const = 0;

  // The first column of the first row.
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

// Rolls back unless committed. From its start there is no other writer, in any process or on any machine.
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

// A read-only transaction: all reads during its life see one snapshot.
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
