#pragma once

#include <memory>

#include "eventstore/postgres/pg_session.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// A session of a node's program for what machines share beside the log; its reads may be believed for the
// same reason as those of start_session(), which has made the node's row. Throws LogUnavailable, and
// LedgerMismatch where there is no ledger.
std::unique_ptr<PgSession> start_store_session(const SharedNode& node, DeadlineWatch& watch);

}  // namespace pixledger::eventstore
