#pragma once

#include <chrono>
#include <memory>
#include <pqxx/binarystring>
#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <string>
#include <utility>
#include <vector>

#include "base/net/deadline_watch.h"
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

}  // namespace pixledger::eventstore
