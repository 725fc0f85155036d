#pragma once

#include "eventstore/lmdb/lmdb_log.h"

namespace pixledger::eventstore {

// Stores the batch's idempotency records, and removes a few expired ones, so that pruning never takes long.
// These are the only records that a ledger ever removes: they serve callers, and are no part of its history.
void put_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, const Batch& batch);

// Stores one record, which may replace an older one. Removes nothing else.
void replace_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp time,
                         const NewIdempotencyRecord& record);

// Stores, in a copy, a record that another node decided in a commit of time `now`. That node may already have
// removed the key's expired record, which this copy still has; it is replaced.
void take_in_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp now,
                         Timestamp time, const NewIdempotencyRecord& record);

// Removes up to `max` expired records.
void prune_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp now,
                       std::size_t max);

// Stores one record with that time. `flags`: LMDB's, for the record.
void put_idempotency_record(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp time,
                            std::string_view key, std::string_view record, unsigned flags);

// How many records a commit removes that adds `added`: more than it adds, so that pruning keeps up.
constexpr std::size_t pruned_per_append(std::size_t added) { return 2 * added + 4; }

// The digest of a record that `idempotency_times` keeps, to detect changed bytes.
inline Digest idempotency_check(std::string_view key, std::string_view record) {
  return sha256({key, record});
}

}  // namespace pixledger::eventstore
