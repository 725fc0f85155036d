#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {

class MayNotPublish : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws
// - MayNotPublish if the owner may not create a schema there, or the servers' role does not exist;
// - LogUnavailable if the database could lose commits, or one of the roles cannot connect;
// - LedgerMismatch if the two connect to different databases, whatever their names: a ledger made in one
//   would be looked for in the other.
void check_roles(PgClient& owner, const LedgerUri& servers);

// The same, and also throws LedgerMismatch if the database has a ledger already.
void refuse_to_publish(PgClient& owner, const LedgerUri& servers);

// Copies a log into a database without a ledger, all or nothing; from then on the log is a copy of it. If an
// earlier call has done that, completes the rest, even if nodes have added to the ledger since. No other
// process writes the log meanwhile, and one at a time publishes there. `owner`: of a role that may create a
// schema there. `servers_role` gets the rights to read and add. `within` runs in the same transaction. Throws
// LedgerMismatch if there is a ledger already, LogUnavailable, and LogOutcomeUnknown.
void publish(PgClient& owner, LmdbLog& log, const std::string& servers_role,
             const std::function<void(PgClient&)>& within = {});

// Throws LedgerMismatch if the database has the log's ledger, and LogUnavailable while that is uncertain.
void refuse_to_give_up(PgClient& owner, const LmdbLog& log);

}  // namespace pixledger::eventstore
