#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/cluster.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"

// Acknowledged commits that PostgreSQL has lost and a copy still has. Each such history has a row in the
// table `turn`, named after its newest commit. The row holds the turn to write for ever, so all nodes refuse
// writes until an operator accepts the loss. The servers' role may neither create tables nor delete rows
// there, so an accepted row stays, with an end in the past.
namespace pixledger::eventstore {

// The position where a copy's history departs from another one, and how many events follow.
struct Fork {
  Position common;           // both have the same events up to here
  std::uint64_t events = 0;  // of the copy, which the other one does not have at those positions
};
// `current` has all events of PostgreSQL. Reads every event of the copy after the fork and checks it against
// the copy's tree. Throws LogCorrupt, LmdbDamaged or std::runtime_error if the copy is damaged.
Fork find_fork(const LmdbLog& kept, const Log& current);

// The result of the examination of a kept copy, stored in its directory.
struct LossNote {
  std::string history;  // the row's name; empty: the copy cannot be read, or its reading was interrupted
  Fork fork;

  bool is_nothing_lost() const { return !history.empty() && fork.events == 0; }
};
// nullopt: it has not been examined.
std::optional<LossNote> read_loss_note(const std::filesystem::path& kept);

// Examines the node's kept copies that have no note yet. `current` has all events of PostgreSQL.
void examine_kept_copies(const SharedNode& node, const LmdbLog& current, LmdbOptions options);

// Stops writes because PostgreSQL does not have the newest commit of `copy`. How much is lost is unknown yet;
// the copy may only be damaged.
void report_loss(PgClient& client, const SharedNode& node, const LmdbLog& copy);
// Stops writes for each loss that an examination has found, and ends the stop if it has found none.
void report_losses(PgClient& client, const SharedNode& node);

// Losses that are not accepted: a scalar expression for a SELECT, which parse_losses() reads.
inline constexpr const char* kOpenLosses =
    "(SELECT coalesce(string_agg(node || ' ' || epoch, ' ' ORDER BY worker), '') FROM turn WHERE "
    "starts_with(worker, 'lost-commits ') AND until > clock_timestamp())";
std::vector<LostHistory> parse_losses(const std::string& text);
// Whether a row of `turn` is a worker's lease.
inline constexpr const char* kIsLease = "NOT starts_with(worker, 'lost-commits ')";
// Why writes are refused, for operators.
std::string reason_of_stop(const std::vector<LostHistory>& losses);

// Whether a loss is still open, by the name that history_of() gives.
struct ReportedLoss {
  std::string history;
  std::string node;
  bool is_open = false;
};
std::vector<ReportedLoss> reported_losses(PgClient& client);
std::string history_of(const LmdbLog& kept);

// A kept copy in any directory, opened for reading.
class KeptCopy {
 public:
  static bool is_in(const std::filesystem::path& directory);
  // Throws std::runtime_error if it is not a copy of a shared ledger, and all that LmdbLog throws.
  KeptCopy(const std::filesystem::path& directory, LmdbOptions options);

  const LedgerLog& log() const { return log_; }
  std::string history() const { return history_of(log_); }
  Fork fork_from(const Log& ledger) const { return find_fork(log_, ledger); }
  // Accepts the loss of this history, and of all shorter parts of it that other nodes have reported. Returns
  // how many losses those were. Throws LogUnavailable.
  std::size_t accept(PgClient& client) const;

 private:
  LmdbLog log_;
};
// Accepts all losses that a node has reported, for a kept copy that cannot be read.
std::size_t accept_losses_of(PgClient& client, const std::string& node);

}  // namespace pixledger::eventstore
