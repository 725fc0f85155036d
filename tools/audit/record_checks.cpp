#include "tools/audit/record_checks.h"

#include <algorithm>
#include <chrono>

#include "eventstore/codec/codec.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/lmdb/lmdb_idempotency.h"
#include "eventstore/lmdb/lmdb_log_reads.h"

namespace pixledger::tools {
namespace {

using domain::Position;
using eventstore::big_endian;
using eventstore::LmdbCursor;
using eventstore::LmdbLog;
using eventstore::LmdbRead;

// One reading transaction lasts at most this long: it keeps all later pages alive.
constexpr std::chrono::milliseconds kReadMax{50};
constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kEventsPerRead = 1000;

std::uint64_t entries(const LmdbRead& read, MDB_dbi database) {
  MDB_stat stat{};
  eventstore::check_lmdb(mdb_stat(read.get(), database, &stat), "mdb_stat");
  return stat.ms_entries;
}

// Calls `check(read, cursor)` for each entry, in reads of at most kReadMax, until it finds something.
template <class Check>
std::optional<Finding> find_in(const LmdbLog& log, MDB_dbi database, Check check) {
  std::string next;
  while (true) {
    const auto deadline = std::chrono::steady_clock::now() + kReadMax;
    const LmdbRead read(log.environment());
    LmdbCursor cursor(read.get(), database);
    bool more = cursor.seek(next);
    for (; more && std::chrono::steady_clock::now() < deadline; more = cursor.move(MDB_NEXT)) {
      if (auto finding = check(read, cursor)) return finding;
    }
    if (!more) return std::nullopt;
    next = cursor.key();
  }
}

Finding unplaced(std::string problem) { return {Position(), std::move(problem)}; }

bool states(const LmdbLog& log, const domain::StreamName& stream, std::string_view claim) {
  for (const auto& stored : log.read_stream(stream, 0, eventstore::kNoLimit)) {
    const auto event = eventstore::decode(stored);
    const auto stated = domain::claims_of({event.stream, event.project, event.event});
    if (std::any_of(stated.begin(), stated.end(), [&](const auto& name) { return name.text() == claim; }))
      return true;
  }
  return false;
}

std::optional<Finding> check_time_entry(const LmdbLog& log, const LmdbRead& read, const LmdbCursor& entry) {
  if (entry.key().size() != kTimeBytes + kKeyBytes)
    return unplaced("the index of the times of idempotency records has a key that is none");
  const auto key = entry.key().substr(kTimeBytes);
  const auto stored = eventstore::lmdb_get(read.get(), log.databases().idempotency, key);
  if (!stored) return unplaced("there is a time of an idempotency record that is not there");
  const auto check = eventstore::idempotency_check(key, *stored);
  const bool has_check = !entry.value().empty();
  if (has_check && entry.value() != eventstore::bytes_of(check))
    return unplaced("an idempotency record is not the one that was written");
  const auto record = eventstore::decode_idempotency_record(*stored);
  if (big_endian(static_cast<std::uint64_t>(record.recorded_at.millis())) !=
      entry.key().substr(0, kTimeBytes))
    return unplaced("the time of an idempotency record is not the one in its index");
  if (record.as_of() > eventstore::read_head(read.get(), log.databases()).position)
    return unplaced("an idempotency record names events that the log does not have");
  return std::nullopt;
}

}  // namespace

LedgerMark mark_of(const LmdbLog& log) {
  const LmdbRead read(log.environment());
  return {eventstore::read_head(read.get(), log.databases()).position, entries(read, log.databases().claims)};
}

std::optional<Finding> check_meta(const LmdbLog& log) {
  const LmdbRead read(log.environment());
  const auto format = eventstore::lmdb_get(read.get(), log.databases().meta, "format");
  if (format != std::string_view(big_endian(eventstore::kLedgerFormatVersion)))
    return unplaced("the ledger's format is not one that there has been");
  const auto check = eventstore::lmdb_get(read.get(), log.databases().meta, eventstore::kMetaCheck);
  const auto digest = eventstore::digest_of_meta(read.get(), log.databases());
  if (check && *check != eventstore::bytes_of(digest))
    return unplaced(
        "a record about the ledger (its id, epoch, head or clock) is not the one that was written");
  return std::nullopt;
}

std::optional<Finding> check_ends(const LmdbLog& log, domain::Timestamp newest) {
  const LmdbRead read(log.environment());
  const auto& databases = log.databases();
  const auto head = eventstore::read_head(read.get(), databases);
  const auto key = big_endian(head.position.value());
  const auto first = big_endian(1);
  for (const auto database : {databases.events, databases.personal, databases.tree}) {
    LmdbCursor cursor(read.get(), database);
    if (cursor.move(MDB_LAST) && cursor.key() > key)
      return Finding{head.position.next(), "there is something beyond the head of the log"};
    if (cursor.move(MDB_FIRST) && cursor.key() < first)
      return unplaced("there is something before position 1");
  }
  if (head.time < newest) return Finding{head.position, "it was recorded after the head of the log"};
  return std::nullopt;
}

std::optional<Finding> check_idempotency(const LmdbLog& log) {
  const auto& databases = log.databases();
  {
    const LmdbRead read(log.environment());
    if (entries(read, databases.idempotency) != entries(read, databases.idempotency_times))
      return unplaced("there are more or fewer idempotency records than their index of times has");
  }
  return find_in(log, databases.idempotency_times,
                 [&log](const LmdbRead& read, const LmdbCursor& entry) -> std::optional<Finding> {
                   try {
                     return check_time_entry(log, read, entry);
                   } catch (const eventstore::LogCorrupt& corrupt) {
                     return unplaced(corrupt.what());
                   }
                 });
}

std::optional<Finding> find_unnamed_event(const LmdbLog& log, Position end) {
  for (Position last; last < end;) {
    const auto batch = log.read_after(last, kEventsPerRead);
    if (batch.empty()) return std::nullopt;
    const LmdbRead read(log.environment());
    for (const auto& stored : batch) {
      last = stored.position;
      if (last > end) return std::nullopt;
      const auto event = eventstore::decode(stored);
      const auto named = eventstore::lmdb_get(read.get(), log.databases().streams,
                                              eventstore::stream_key(event.stream, event.version));
      if (named != std::string_view(big_endian(last.value())))
        return Finding{last, "stream " + event.stream.text() + " does not have this event as its version " +
                                 std::to_string(event.version)};
    }
  }
  return std::nullopt;
}

std::optional<Finding> find_orphaned_claim(const LmdbLog& log, Position end) {
  return find_in(
      log, log.databases().claims, [&](const LmdbRead&, const LmdbCursor& entry) -> std::optional<Finding> {
        const auto holder = domain::StreamName::parse(entry.value());
        if (holder && states(log, *holder, entry.key())) return std::nullopt;
        return Finding{
            end, "the name " + std::string(entry.key()) + " is held, but no event of its holder says so"};
      });
}

}  // namespace pixledger::tools
