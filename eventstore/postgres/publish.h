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

// Refuses a role that may make no schema there, and a servers' role that there is not (MayNotPublish); a
// database that could lose what it has committed, and one that either cannot come to (LogUnavailable); and
// two that have come to different ones, whatever their names, since a ledger that was made in one would be
// looked for in the other (LedgerMismatch).
void check_roles(PgClient& owner, const LedgerUri& servers);

// The same, and refuses a database that has a ledger already (LedgerMismatch).
void refuse_to_publish(PgClient& owner, const LedgerUri& servers);

// Puts what a log holds into a database that has no ledger yet, all or nothing; from then on the log is a
// copy of it. Where it was put there already, and only that was left undone, it is done, also where others
// have added to it since. Nobody else writes the log meanwhile, and one at a time publishes there. `owner`:
// of a role that may make a schema there; `servers_role` is let read and add. `within`: what goes along in
// the same transaction. Throws LedgerMismatch where there is a ledger already, LogUnavailable, and
// LogOutcomeUnknown.
void publish(PgClient& owner, LmdbLog& log, const std::string& servers_role,
             const std::function<void(PgClient&)>& within = {});

// Throws LedgerMismatch where the database has the log's ledger, and LogUnavailable where that is not certain
// yet.
void refuse_to_give_up(PgClient& owner, const LmdbLog& log);

}  // namespace pixledger::eventstore
