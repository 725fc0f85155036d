#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/pg_session.h"

namespace pixledger::eventstore {

// Refuses a database that has a ledger already (LedgerMismatch), or one that could lose what it has committed
// (LogUnavailable), a role that may make no schema there, and a servers' role that there is not
// (MayNotPublish).
void refuse_to_publish(PgSession& owner, const std::string& servers_role);

class MayNotPublish : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Puts what a log holds into a database that has no ledger yet, all or nothing; from then on the log is a
// copy of it. Where it was put there already, and only that was left undone, it is done. Nobody else
// writes the log meanwhile. `owner`: of a role that may make a schema there; `servers_role` is let read and
// add. `within`: what goes along in the same transaction. Refuses what refuse_to_publish() does; throws
// LogUnavailable and LogOutcomeUnknown.
void publish(PgSession& owner, LmdbLog& log, const std::string& servers_role,
             const std::function<void(PgSession&)>& within = {});

}  // namespace pixledger::eventstore
