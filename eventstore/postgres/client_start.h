#pragma once

#include <functional>
#include <memory>
#include <string>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// A client whose reads may be believed: PostgreSQL is set up to lose nothing, the ledger there is the
// copy's, and a write of the node's own row was replicated first. A primary that starts again shows commits
// whose standby had not confirmed them; that write returns only when it has (PostgreSQL 15,
// section 27.2.8.1). `copy`: null if there is no copy yet. Throws LogUnavailable; LedgerMismatch where there
// is no ledger or another one than the copy's, or another directory goes by the node's name; KeyringError
// where there is no copy yet and the node's keys are another ledger's; CopyAstray when the newest commit in
// the copy is not that of PostgreSQL.
std::unique_ptr<PgClient> start_client(const SharedNode& node, const LmdbLog* copy, DeadlineWatch& watch);

// One of a node's program for what machines share beside the log; its reads may be believed for the same
// reason as those of start_client(), which has made the node's row. Throws LogUnavailable, and
// LedgerMismatch where there is no ledger.
std::unique_ptr<PgClient> start_database_client(const SharedNode& node, DeadlineWatch& watch);

class LedgerMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Another directory goes by the node's name, or this one by another.
class NodeTaken : public LedgerMismatch {
 public:
  using LedgerMismatch::LedgerMismatch;
};

// Nothing may be written: PostgreSQL is set up so that it could lose what it has committed, or its tables are
// damaged where the next commit would go. Says which, and what to do.
class PostgresUnsafe : public LogUnavailable {
 public:
  PostgresUnsafe(const std::string& problem, std::string advice)
      : LogUnavailable(problem), advice_(std::move(advice)) {}
  const std::string& advice() const { return advice_; }

 private:
  std::string advice_;
};
PostgresUnsafe no_synchronous_standby();

// "0123456789abcdef0123456789abcdef (epoch 2)", as a node's file `ledger.of` has it, too.
std::string named_with_epoch(const LogIdentity& ledger);

// Ends a transaction that changed nothing of the caller's: also what came of it that nobody can tell is
// LogUnavailable.
void confirm(PgClient& client);

// Throws CopyAstray where the copy has another newest commit than PostgreSQL has by that number, or one more:
// it was of a primary whose commits were lost, or of another database.
void check_copy(PgClient& client, const LmdbLog& copy);

// What is wrong where the next commit would go; empty: nothing.
std::string damage_at_ends(PgClient& client);
// Throws PostgresUnsafe where the next commit would come upon damage: one that a node only finds when it
// writes ends each node's processes in turn, and is told by none of them before.
void check_ends(PgClient& client, const LedgerUri& uri);

// Throws PostgresUnsafe, and LogUnavailable for a standby.
void check_settings(PgClient& client);

}  // namespace pixledger::eventstore
