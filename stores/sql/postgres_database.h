#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/net/deadline_watch.h"
#include "eventstore/postgres/shared_node.h"
#include "eventstore/worker_right.h"
#include "stores/sql/sql_database.h"

namespace pixledger::eventstore {
class PgClient;
}  // namespace pixledger::eventstore

namespace pixledger::stores {

// Statements on a PostgreSQL client, each prepared once. Makes text acceptable to PostgreSQL: invalid UTF-8
// becomes question marks, a zero byte a space.
class PostgresStatements {
 public:
  // The client must outlive it. `prefix` starts the names of prepared statements.
  PostgresStatements(eventstore::PgClient& client, std::string prefix)
      : client_(client), prefix_(std::move(prefix)) {}

  SqlResult run(const std::string& statement, const SqlValues& values);
  // Batches rows into large messages: a message costs as much as many statements.
  void run_each(const std::string& statement, const std::vector<SqlValues>& rows);

 private:
  const std::string& prepared(const std::string& statement);

  eventstore::PgClient& client_;
  const std::string prefix_;
  std::map<std::string, std::string> names_;  // prepared statements' names, by SQL text
};

// A worker's database in PostgreSQL: tables in their own schema. Reconnects after a broken connection, but
// never within a transaction: that one has failed, or its outcome is unknown.
class PostgresDatabase final : public SqlDatabase {
 public:
  // `fence` belongs to the worker that writes the database: its transactions fail once another worker has
  // taken over. Without a fence: a command that writes once, or a reader. After PostgreSQL was unreachable,
  // calls fail without waiting for `rest`.
  PostgresDatabase(eventstore::SharedNode node, std::string schema,
                   std::optional<eventstore::WorkerFence> fence = {}, std::chrono::seconds rest = {});
  ~PostgresDatabase() override;
  PostgresDatabase(const PostgresDatabase&) = delete;
  PostgresDatabase& operator=(const PostgresDatabase&) = delete;

  SqlResult run(const std::string& statement, const SqlValues& values = {}) override;
  void run_each(const std::string& statement, const std::vector<SqlValues>& rows) override;
  bool is_shared() const override { return true; }

 private:
  struct Connected;

  void begin() override;
  void begin_reading() override;
  void commit() override;
  void roll_back() noexcept override;

  Connected& connected();
  std::unique_ptr<Connected> connect();
  // Retries read-only work on a new connection if the connection broke.
  template <class Work>
  auto repeatable(const Work& work);
  void take_turn(Connected& connected);

  const eventstore::SharedNode node_;
  const std::string schema_;
  const std::optional<eventstore::WorkerFence> fence_;
  const std::chrono::seconds rest_;
  std::chrono::steady_clock::time_point rests_until_{};
  std::string fault_;  // why calls fail at once during the rest
  DeadlineWatch watch_;
  std::unique_ptr<Connected> connected_;
  bool is_in_transaction_ = false;
};

// Another worker has taken over from this one.
class WorkerFenced : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The database for a caller inside a transaction of its own client; has no connection of its own.
class PostgresWithin final : public SqlDatabase {
 public:
  PostgresWithin(eventstore::PgClient& client, const std::string& schema);

  SqlResult run(const std::string& statement, const SqlValues& values = {}) override {
    return statements_.run(statement, values);
  }
  void run_each(const std::string& statement, const std::vector<SqlValues>& rows) override {
    statements_.run_each(statement, rows);
  }
  bool is_shared() const override { return true; }

 private:
  void begin() override {}
  void begin_reading() override {}
  void commit() override {}
  void roll_back() noexcept override {}

  PostgresStatements statements_;
};

}  // namespace pixledger::stores
