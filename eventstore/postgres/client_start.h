#pragma once

#include <functional>
#include <memory>
#include <string>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// Returns a client whose reads can be trusted: PostgreSQL is set up to lose nothing, its ledger is the
// copy's, and a write of the node's own row was replicated first. A restarted primary shows commits that its
// standby had not confirmed; that write returns only when it has (PostgreSQL 15, section 27.2.8.1). `copy`:
// null if there is no copy yet. Throws:
// - LogUnavailable;
// - LedgerMismatch if there is no ledger or another one than the copy's, or another directory uses the name;
// - KeyringError if there is no copy yet and the node's keys are another ledger's;
// - CopyAstray if the copy's newest commit is not PostgreSQL's.
std::unique_ptr<PgClient> start_client(const SharedNode& node, const LmdbLog* copy, DeadlineWatch& watch);

// A client for data that machines share beside the log. Its reads can be trusted like those of
// start_client(), which has written the node's row. Throws LogUnavailable, and LedgerMismatch if there is no
// ledger.
std::unique_ptr<PgClient> start_database_client(const SharedNode& node, DeadlineWatch& watch);

class LedgerMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Another directory uses the node's name, or this directory is another node.
class NodeTaken : public LedgerMismatch {
 public:
  using LedgerMismatch::LedgerMismatch;
};

// Writes are refused: PostgreSQL is set up so that it could lose commits, or its tables are damaged where the
// next commit would go. Says which, and what to do.
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

// Ends a transaction that changed nothing of the caller's. An unknown outcome is LogUnavailable, too.
void confirm(PgClient& client);

// Throws CopyAstray if PostgreSQL lacks the copy's newest commit, or has another one by that number: it was
// made on a primary whose commits were lost, or in another database.
void check_copy(PgClient& client, const LmdbLog& copy);

// Describes the damage where the next commit would go; empty: none.
std::string damage_at_ends(PgClient& client);
// Throws PostgresUnsafe if the next commit would meet damage. Without this check a node finds it only in a
// write, which ends each node's processes in turn, without a warning before.
void check_ends(PgClient& client, const LedgerUri& uri);

// Throws PostgresUnsafe, and LogUnavailable if it is a standby.
void check_settings(PgClient& client);

}  // namespace pixledger::eventstore
