#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/cluster.h"
#include "eventstore/postgres/pg_session.h"
#include "eventstore/postgres/shared_node.h"

// Acknowledged commits that PostgreSQL has lost and a copy still has. Each such history has a row in the
// table `turn`, named after its newest commit, which holds the turn to write for ever: writes are refused at
// all nodes until an operator accepts the loss. A role of servers may neither make tables nor delete such a
// row, so an accepted one stays and is over.
namespace pixledger::eventstore {

// Where a copy's history leaves another one, and what follows there.
struct Fork {
  Position common;           // both have the same events up to here
  std::uint64_t events = 0;  // that the copy has after it, and the other one has not at those positions
};
// `current` has all that PostgreSQL has. Reads every event of the copy after the fork and holds it against
// the copy's tree. Throws LogCorrupt, LmdbDamaged and std::runtime_error where the copy is damaged.
Fork find_fork(const LmdbLog& kept, const Log& current);

// What an examination of a kept copy came to; kept inside of it.
struct LossNote {
  std::string history;  // the row's name; empty: the copy cannot be read, or nobody has finished reading it
  Fork fork;

  bool is_nothing_lost() const { return !history.empty() && fork.events == 0; }
};
// nullopt: it has not been examined.
std::optional<LossNote> read_loss_note(const std::filesystem::path& kept);

// Examines the node's kept copies that have not been. `current` has all that PostgreSQL has.
void examine_kept_copies(const SharedNode& node, const LmdbLog& current, LmdbOptions options);

// Refuses writes since `copy` has a newest commit that PostgreSQL does not have. Nobody knows yet how much is
// lost, or whether the copy is only damaged.
void report_loss(PgSession& session, const SharedNode& node, const LmdbLog& copy);
// Does the same for what examinations have found, and takes back what they have found to be no loss.
void report_losses(PgSession& session, const SharedNode& node);

// Losses that are not accepted, as a scalar for a SELECT, for parse_losses().
inline constexpr const char* kOpenLosses =
    "(SELECT coalesce(string_agg(node || ' ' || epoch, ' ' ORDER BY worker), '') FROM turn WHERE "
    "starts_with(worker, 'lost-commits ') AND until > clock_timestamp())";
std::vector<LostHistory> parse_losses(const std::string& text);
// Whether a row of `turn` is a worker's lease.
inline constexpr const char* kIsLease = "NOT starts_with(worker, 'lost-commits ')";
// Why writes are refused: for operators.
std::string reason_of_stop(const std::vector<LostHistory>& losses);

// Whether a loss is still open, by the name that history_of() gives.
struct ReportedLoss {
  std::string history;
  std::string node;
  bool is_open = false;
};
std::vector<ReportedLoss> reported_losses(PgSession& session);
std::string history_of(const LmdbLog& kept);

// A copy that was kept, to read; wherever it lies.
class KeptCopy {
 public:
  static bool is_in(const std::filesystem::path& directory);
  // Throws std::runtime_error where it is no copy of a shared ledger, and what LMDB's log does.
  KeptCopy(const std::filesystem::path& directory, LmdbOptions options);

  const LedgerLog& log() const { return log_; }
  std::string history() const { return history_of(log_); }
  Fork fork_from(const Log& ledger) const { return find_fork(log_, ledger); }
  // Accepts what its history has, and all shorter parts of it that other copies have. Returns how many losses
  // that were. Throws LogUnavailable.
  std::size_t accept(PgSession& session) const;

 private:
  LmdbLog log_;
};
// Accepts what the node has reported: for a kept copy of it that cannot be read.
std::size_t accept_losses_of(PgSession& session, const std::string& node);

}  // namespace pixledger::eventstore
