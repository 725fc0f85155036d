#pragma once

#include "eventstore/lmdb/lmdb_log.h"

namespace pixledger::eventstore {

// Stores the batch's idempotency records, and removes a few whose time is over, so that pruning never takes
// long. The only records of a ledger that are ever removed: they are a service to callers, not part of its
// history.
void put_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, const Batch& batch);

// The same of one, which may take the place of an older one, and nothing is removed but that.
void replace_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp time,
                         const NewIdempotencyRecord& record);

// The same in a copy, of what was decided elsewhere in a commit of `now`. Whoever decided it may have removed
// the key's last record, since its time was over, where this copy has not yet come to it: that goes.
void take_in_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp now,
                         Timestamp time, const NewIdempotencyRecord& record);

// Removes a few whose time is over.
void prune_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp now,
                       std::size_t max);

// Stores one, as of that time. `flags`: LMDB's, of the record.
void put_idempotency_record(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp time,
                            std::string_view key, std::string_view record, unsigned flags);

// How many a commit with so many new ones removes: more than it adds, so that they come to an end.
constexpr std::size_t pruned_per_append(std::size_t added) { return 2 * added + 4; }

// What `idempotency_times` keeps of a record, so that a changed byte of it shows.
inline Digest idempotency_check(std::string_view key, std::string_view record) {
  return sha256({key, record});
}

}  // namespace pixledger::eventstore
