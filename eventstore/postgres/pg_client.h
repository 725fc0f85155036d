#pragma once

#include <chrono>
#include <memory>
#include <pqxx/binarystring>
#include <pqxx/connection>
#include <pqxx/field>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/net/deadline_watch.h"
#include "base/platform/sha256.h"
#include "eventstore/log/log.h"
#include "eventstore/postgres/ledger_uri.h"

namespace pixledger::eventstore {

// Timeouts of a client.
struct PgTimeouts {
  std::chrono::seconds connect{2};             // for each host of the URI
  std::chrono::milliseconds answer{5'000};     // for each statement except the commit
  std::chrono::milliseconds commit{10'000};    // includes the standby's confirmation
  std::chrono::milliseconds lock{4'500};       // for the turn to write
  std::chrono::milliseconds idle_turn{5'000};  // PostgreSQL ends a client that is idle in its turn for longer
  // At the start: how long another process's row under the same name may stand still before the name is free;
  // 0: refuse at once.
  std::chrono::milliseconds standstill{10'000};
};

// Both are string literals; a client uses each name for one text.
struct PreparedStatement {
  const char* name;
  const char* text;
};

// One connection to PostgreSQL. It never reconnects by itself, since what was read through it may not hold at
// another server. Errors outside commit() are LogUnavailable: nothing was written, and the client is unusable
// from then on. For one thread.
class PgClient {
 public:
  // Throws LogUnavailable with the reason. The watch outlives the client.
  PgClient(const LedgerUri& uri, const PgTimeouts& times, DeadlineWatch& watch);
  ~PgClient();

  // Statements without parameters; the result is the last one's.
  pqxx::result run(const std::string& statements) {
    return watched([&](pqxx::nontransaction& now) { return now.exec(statements); });
  }
  // Prepares the statement when it is first run here.
  template <class... Values>
  pqxx::result run_prepared(const PreparedStatement& statement, const Values&... values) {
    return watched([&](pqxx::nontransaction& now) {
      prepare_once(statement);
      return now.exec_prepared(statement.name, values...);
    });
  }
  // Commits the transaction. Throws LogUnavailable when PostgreSQL says that it was rolled back, and
  // LogOutcomeUnknown when PostgreSQL does not answer, or answers with a warning: it may have stopped waiting
  // for its standby.
  void commit();
  // Never throws.
  void roll_back() noexcept;

  bool is_usable() const { return is_usable_; }
  // Whether PostgreSQL has sent something since the last statement, usually because it has closed the
  // connection. Does not block.
  bool has_broken_off() const;
  // Identifies the server and its run: the text differs after a restart or a failover.
  const std::string& server() const { return server_; }

 private:
  class Notices;
  using Statement = std::function<pqxx::result(pqxx::nontransaction&)>;

  pqxx::result watched(const Statement& statement);
  void prepare_once(const PreparedStatement& statement);
  [[noreturn]] void give_up(bool was_late, const std::string& problem);

  const PgTimeouts times_;
  DeadlineWatch& watch_;
  std::unique_ptr<pqxx::connection> connection_;
  std::unique_ptr<Notices> notices_;
  std::vector<const char*> prepared_;
  std::string server_;
  bool is_usable_ = true;
};

// The first line of a message of PostgreSQL or libpq, printable.
std::string line_of_problem(std::string_view text);

// Why no connection could be opened, in one line: the reason for each host that libpq tried; without hosts,
// the first line.
std::string problem_of_hosts(std::string_view text);

// Bytes as PostgreSQL takes and gives them, as text: bytea in its hex format (PostgreSQL 15, section 8.4.1).

// The ledger in PostgreSQL differs from what was written there. The node's copy is not the cause, and another
// copy would not help.
class SharedLedgerDamaged : public std::runtime_error {
 public:
  explicit SharedLedgerDamaged(const std::string& problem)
      : std::runtime_error("the shared ledger in PostgreSQL is damaged: " + problem) {}
};

// As a parameter of a statement.
pqxx::binarystring binary(std::string_view bytes);
std::string bytes_in(const pqxx::field& field);
// Throws SharedLedgerDamaged when the field is not a digest.
Digest digest_of(const pqxx::field& field);

// The literal of a text.
std::string literal(std::string_view text);
// The literal of a bytea[].
std::string bytea_array(const std::vector<std::string_view>& elements);
// The literal of a bigint[].
std::string bigint_array(const std::vector<std::uint64_t>& elements);

}  // namespace pixledger::eventstore
