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

// Statements in a client with PostgreSQL, which prepares each once. Text that it would not take is made such
// that it does: what is no UTF-8 becomes question marks, and a zero a space.
class PostgresStatements {
 public:
  // The client outlives it; what it prepares there has names that begin so.
  PostgresStatements(eventstore::PgClient& client, std::string prefix)
      : client_(client), prefix_(std::move(prefix)) {}

  SqlResult run(const std::string& statement, const SqlValues& values);
  // As many in a message as fit well: a message costs as much as many statements.
  void run_each(const std::string& statement, const std::vector<SqlValues>& rows);

 private:
  const std::string& prepared(const std::string& statement);

  eventstore::PgClient& client_;
  const std::string prefix_;
  std::map<std::string, std::string> names_;  // of the prepared, by their text
};

// A worker's database in PostgreSQL: tables in a schema of its own. It takes up another client when one has
// broken off, but never within a transaction: that has come to nothing then, or nobody knows.
class PostgresDatabase final : public SqlDatabase {
 public:
  // `fence`: of the worker that writes it, whose transactions fail once another has taken over. None: a
  // command that writes by the way, or a reader. `rest`: so long after PostgreSQL could not be reached nobody
  // waits for it again.
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
  // What changes nothing is done again, in another client, when the client has broken off meanwhile.
  template <class Work>
  auto repeatable(const Work& work);
  void take_turn(Connected& connected);

  const eventstore::SharedNode node_;
  const std::string schema_;
  const std::optional<eventstore::WorkerFence> fence_;
  const std::chrono::seconds rest_;
  std::chrono::steady_clock::time_point rests_until_{};
  std::string fault_;  // why it rests
  DeadlineWatch watch_;
  std::unique_ptr<Connected> connected_;
  bool is_in_transaction_ = false;
};

// Another worker is at work in this one's stead.
class WorkerFenced : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The database of who has a client, and is within a transaction of it: of its own it has none.
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
