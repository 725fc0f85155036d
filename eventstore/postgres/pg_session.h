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

// How long a session waits.
struct PgTimes {
  std::chrono::seconds connect{2};             // for each host of the URI
  std::chrono::milliseconds answer{5'000};     // to any statement but the commit
  std::chrono::milliseconds commit{10'000};    // for a standby to have it, too
  std::chrono::milliseconds lock{4'500};       // for its turn
  std::chrono::milliseconds idle_turn{5'000};  // after which PostgreSQL ends one that has stopped in its turn
  // For another's row to move that is in a node's way, at its start; 0: that is refused at once.
  std::chrono::milliseconds standstill{10'000};
};

// Both are literals; no two of a session have one name.
struct PreparedStatement {
  const char* name;
  const char* text;
};

// One session with PostgreSQL, which never connects again by itself: what it believes ends with it. Whatever
// goes wrong but in a commit is LogUnavailable and nothing was written; afterwards the session is unusable.
// One thread.
class PgSession {
 public:
  // Throws LogUnavailable that says why it cannot be had. The watch outlives it.
  PgSession(const LedgerUri& uri, const PgTimes& times, DeadlineWatch& watch);
  ~PgSession();

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
  // Ends the transaction that was begun. Throws LogUnavailable when PostgreSQL says that it has come to
  // nothing, and LogOutcomeUnknown when it says nothing, or with a warning: then it may have stopped to wait
  // for its standby.
  void commit();
  // Never throws.
  void roll_back() noexcept;

  bool is_usable() const { return is_usable_; }
  // Whether PostgreSQL has said something unasked since the last statement, which as a rule is that the
  // session has ended. Waits for nothing.
  bool has_broken_off() const;
  // Whom it speaks to: another text, another server or run of it.
  const std::string& server() const { return server_; }

 private:
  class Notices;
  using Statement = std::function<pqxx::result(pqxx::nontransaction&)>;

  pqxx::result watched(const Statement& statement);
  void prepare_once(const PreparedStatement& statement);
  [[noreturn]] void give_up(bool was_late, const std::string& problem);

  const PgTimes times_;
  DeadlineWatch& watch_;
  std::unique_ptr<pqxx::connection> connection_;
  std::unique_ptr<Notices> notices_;
  std::vector<const char*> prepared_;
  std::string server_;
  bool is_usable_ = true;
};

// The first line of a message of PostgreSQL or libpq, printable.
std::string line_of_problem(std::string_view text);

// Why no session could be opened, in one line: the reason of each host that libpq tried. Without hosts, the
// first line.
std::string problem_of_hosts(std::string_view text);

// Bytes as PostgreSQL takes and gives them, as text: bytea in its hex format (PostgreSQL 15, section 8.4.1).

// What PostgreSQL has of the ledger is not what was written there. No copy is to blame, nor would another one
// help.
class SharedLedgerDamaged : public std::runtime_error {
 public:
  explicit SharedLedgerDamaged(const std::string& problem)
      : std::runtime_error("the shared ledger in PostgreSQL is damaged: " + problem) {}
};

// As a parameter of a statement.
pqxx::binarystring binary(std::string_view bytes);
std::string bytes_in(const pqxx::field& field);
// Throws SharedLedgerDamaged when it is none.
Digest digest_of(const pqxx::field& field);

// The literal of a text.
std::string literal(std::string_view text);
// The literal of a bytea[].
std::string bytea_array(const std::vector<std::string_view>& elements);
// The literal of a bigint[].
std::string bigint_array(const std::vector<std::uint64_t>& elements);

}  // namespace pixledger::eventstore
