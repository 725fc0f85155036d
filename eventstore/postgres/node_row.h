#pragma once

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/pg_session.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// Writes the node's row, as each session does at its start. Where that is another directory's, or the
// directory is another node, what is in the way is taken over once it has stood still for
// PgTimes::standstill, seen by this session: after an outage of PostgreSQL each row is old, and who is at
// work writes its own within a second. Throws NodeTaken where it moves, LogUnavailable where it is not
// waited for. `copy`: null where there is none yet.
void note_node(PgSession& session, const SharedNode& node, const LmdbLog* copy);

}  // namespace pixledger::eventstore
