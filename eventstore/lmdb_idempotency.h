#pragma once

#include "eventstore/lmdb_log.h"

namespace pixledger::eventstore {

// Stores the batch's idempotency records, and removes a few whose time is over, so that pruning never takes
// long. The only records of a ledger that are ever removed: they are a service to callers, not part of its
// history.
void put_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, const Batch& batch);

}  // namespace pixledger::eventstore
