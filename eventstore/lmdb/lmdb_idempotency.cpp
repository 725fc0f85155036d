#include "eventstore/lmdb/lmdb_idempotency.h"

#include "eventstore/lmdb/lmdb_log_reads.h"

namespace pixledger::eventstore {
namespace {

std::string time_key(std::int64_t millis) { return big_endian(static_cast<std::uint64_t>(millis)); }

void remove_time(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp time,
                 const Digest& key) {
  const auto entry = time_key(time.millis()) + std::string(bytes_of(key));
  MDB_val entry_val = to_val(entry);
  const int code = mdb_del(transaction, databases.idempotency_times, &entry_val, nullptr);
  if (code != MDB_NOTFOUND) check_lmdb(code, "mdb_del");
}

// Returns the time of the key's record if it has expired. Called seldom enough to scan all expired records.
std::optional<Timestamp> find_outdated(MDB_txn* transaction, const LmdbLog::Databases& databases,
                                       Timestamp now, std::string_view key) {
  const auto keep_from = time_key(now.millis() - kIdempotencyKeptMs);
  LmdbCursor cursor(transaction, databases.idempotency_times);
  for (bool more = cursor.move(MDB_FIRST); more && cursor.key().substr(0, 8) < keep_from;
       more = cursor.move(MDB_NEXT))
    if (cursor.key().substr(8) == key)
      return Timestamp(static_cast<std::int64_t>(from_big_endian(cursor.key().substr(0, 8))));
  return std::nullopt;
}

}  // namespace

void prune_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp now,
                       std::size_t max) {
  const auto keep_from = time_key(now.millis() - kIdempotencyKeptMs);
  LmdbCursor cursor(transaction, databases.idempotency_times);
  for (bool more = cursor.move(MDB_FIRST); more && max > 0 && cursor.key().substr(0, 8) < keep_from;
       more = cursor.move(MDB_FIRST), --max) {
    MDB_val key = to_val(cursor.key().substr(8));
    const int code = mdb_del(transaction, databases.idempotency, &key, nullptr);
    if (code != MDB_NOTFOUND) check_lmdb(code, "mdb_del");
    check_lmdb(mdb_cursor_del(cursor.get(), 0), "mdb_cursor_del");
  }
}

void put_idempotency_record(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp time,
                            std::string_view key, std::string_view record, unsigned flags) {
  lmdb_put(transaction, databases.idempotency, key, record, flags);
  lmdb_put(transaction, databases.idempotency_times, time_key(time.millis()) + std::string(key),
           bytes_of(idempotency_check(key, record)));
}

void replace_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp time,
                         const NewIdempotencyRecord& record) {
  // The old time entry would expire the new record early.
  if (record.replaces) remove_time(transaction, databases, *record.replaces, record.key);
  put_idempotency_record(transaction, databases, time, bytes_of(record.key), record.bytes,
                         record.replaces ? 0 : MDB_NOOVERWRITE);
}

void take_in_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, Timestamp now,
                         Timestamp time, const NewIdempotencyRecord& record) {
  const auto key = bytes_of(record.key);
  if (record.replaces || !lmdb_get(transaction, databases.idempotency, key))
    return replace_idempotency(transaction, databases, time, record);
  replace_idempotency(transaction, databases, time,
                      {record.key, record.bytes, find_outdated(transaction, databases, now, key)});
}

void put_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases, const Batch& batch) {
  if (batch.idempotency.empty()) return;
  for (const auto& record : batch.idempotency)
    replace_idempotency(transaction, databases, batch.time, record);
  prune_idempotency(transaction, databases, batch.time, pruned_per_append(batch.idempotency.size()));
}

}  // namespace pixledger::eventstore
