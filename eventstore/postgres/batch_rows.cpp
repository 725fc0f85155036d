#include "eventstore/postgres/batch_rows.h"

#include <limits>

#include "base/platform/big_endian.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {
namespace {

constexpr std::uint64_t kNoTime = std::numeric_limits<std::uint64_t>::max();
// For one read, which is at least one commit.
constexpr std::uint64_t kEventsPerQuery = 8'000;

// Numbers have no gaps. The bound on them avoids a scan of all commits, since only the number is indexed.
constexpr PreparedStatement kNext{
    "next",
    "SELECT number, last, time, id_counter, root, (SELECT bytes FROM records WHERE records.batch = number) "
    "FROM batch WHERE number > $1::bigint AND number <= $1::bigint + 1000 AND (last <= $2::bigint OR "
    "number = $1::bigint + 1) ORDER BY number"};

// A commit's rows exist once the commit is visible, so they may be read later. The bounds are literals: for
// parameters the planner would expect a share of the table, and scan all of it.
std::string events_between(Position after, Position last) {
  const auto in_range = [&](const std::string& column) {
    return column + " > " + std::to_string(after.value()) + " AND " + column +
           " <= " + std::to_string(last.value());
  };
  return "SELECT e.position, e.leaf, p.bytes FROM event e LEFT JOIN personal p "
         "ON p.position = e.position AND " +
         in_range("p.position") + " WHERE " + in_range("e.position") + " ORDER BY 1";
}

// The condition on the commit's number alone guarantees the order, even if two nodes believe to have the
// turn.
constexpr PreparedStatement kAppend{
    "append",
    "WITH moved AS (UPDATE head SET batch = $1::bigint, position = $2::bigint, time = $3::bigint, "
    "id_counter = $4::bigint, root = $5::bytea WHERE batch = $1::bigint - 1 RETURNING batch), "
    "counted AS (INSERT INTO batch SELECT batch, $2, $3, $4, $5 FROM moved), "
    "kept AS (INSERT INTO records SELECT batch, $6::bytea FROM moved WHERE length($6::bytea) > 0), "
    "named AS (INSERT INTO personal SELECT u.* FROM moved, unnest($7::bigint[], $8::bytea[]) u), "
    "added AS (INSERT INTO event SELECT $9::bigint + n - 1, leaf FROM moved, "
    "unnest($10::bytea[]) WITH ORDINALITY u(leaf, n)) SELECT batch FROM moved"};

// Longer than a repeat counts, so that a copy never lacks a record that counts in another.
constexpr std::int64_t kRecordsKeptMs = kIdempotencyKeptMs + 3'600'000;

// By the ledger's time, like repeats: a machine with a wrong clock would remove records that still count.
constexpr PreparedStatement kOldest{
    "oldest",
    "SELECT time < (SELECT time FROM head) - $1::bigint FROM (SELECT min(batch) AS number FROM records) "
    "oldest JOIN batch USING (number)"};
// Few at a time, oldest first.
constexpr PreparedStatement kPrune{
    "prune",
    "DELETE FROM records WHERE batch IN (SELECT oldest.batch FROM (SELECT batch FROM records ORDER BY batch "
    "LIMIT 20000) oldest JOIN batch ON number = oldest.batch WHERE time < (SELECT time FROM head) - "
    "$1::bigint)"};

// The tree covers only the digest of personal bytes, and erased ones are absent.
domain::RecordedEvent read_event(Position position, std::string_view leaf, std::string_view personal) {
  try {
    const auto stored = to_stored_event(position, leaf, personal);
    if (!personal.empty() && sha256(personal) != stored.personal_digest)
      throw SharedLedgerDamaged("the personal data of the event at position " +
                                std::to_string(position.value()) + " are not those that were recorded");
    return decode(stored);
  } catch (const LogCorrupt& corrupt) {
    throw SharedLedgerDamaged(corrupt.what());
  }
}

DecidedEvent decided_event(Position position, std::string leaf, std::string personal) {
  auto recorded = read_event(position, leaf, personal);
  const auto stream = recorded.stream;
  const auto version = recorded.version;
  auto claims =
      domain::claims_of({std::move(recorded.stream), std::move(recorded.project), std::move(recorded.event)});
  return {stream, version, std::move(leaf), std::move(personal), std::move(claims)};
}

std::string no_event_at(Position position) {
  return "it has no event at position " + std::to_string(position.value());
}

}  // namespace

std::vector<ReadBatch> find_batches(PgClient& client, std::uint64_t after, Position last) {
  std::vector<ReadBatch> batches;
  for (const auto& row : client.run_prepared(kNext, after, last.value() + kEventsPerQuery))
    batches.push_back({.number = row.at(0).as<std::uint64_t>(),
                       .last = Position(row.at(1).as<std::uint64_t>()),
                       .time = Timestamp(row.at(2).as<std::int64_t>()),
                       .id_counter = row.at(3).as<std::uint32_t>(),
                       .root = digest_of(row.at(4)),
                       .events = {},
                       .idempotency = row.at(5).is_null() ? std::string() : bytes_in(row.at(5))});
  return batches;
}

void read_events(PgClient& client, Position last, std::vector<ReadBatch>& batches) {
  std::size_t at = 0;
  for (const auto& row : client.run(events_between(last, batches.back().last))) {
    last = last.next();
    if (row.at(0).as<std::uint64_t>() != last.value()) throw SharedLedgerDamaged(no_event_at(last));
    while (batches.at(at).last < last) ++at;
    batches[at].events.push_back(
        {bytes_in(row.at(1)), row.at(2).is_null() ? std::string() : bytes_in(row.at(2))});
  }
  if (last != batches.back().last) throw SharedLedgerDamaged(no_event_at(last.next()));
}

DecidedBatch decided(ReadBatch batch) {
  DecidedBatch made{.number = batch.number,
                    .time = batch.time,
                    .id_counter = batch.id_counter,
                    .root = batch.root,
                    .events = {},
                    .idempotency = unpack(batch.idempotency)};
  Position position(batch.last.value() - batch.events.size());
  for (auto& event : batch.events) {
    position = position.next();
    made.events.push_back(decided_event(position, std::move(event.leaf), std::move(event.personal)));
  }
  return made;
}

bool append(PgClient& client, const BatchRow& row) {
  std::vector<std::uint64_t> positions;
  std::vector<std::string_view> personal;
  for (const auto& [position, bytes] : row.personal) {
    positions.push_back(position.value());
    personal.push_back(bytes);
  }
  const auto first = row.last.value() + 1 - row.leaves.size();
  const auto moved =
      client.run_prepared(kAppend, row.number, row.last.value(), row.time.millis(), row.id_counter,
                          binary(bytes_of(row.root)), binary(pack(row.idempotency)), bigint_array(positions),
                          bytea_array(personal), first, bytea_array(row.leaves));
  return !moved.empty();
}

void prune_records(PgClient& client) {
  const auto is_over = client.run_prepared(kOldest, kRecordsKeptMs);
  if (!is_over.empty() && is_over.at(0).at(0).as<bool>()) client.run_prepared(kPrune, kRecordsKeptMs);
}

std::string pack(const std::vector<DecidedRecord>& records) {
  std::string packed;
  for (const auto& [time, record] : records) {
    packed.append(bytes_of(record.key));
    packed += big_endian(static_cast<std::uint64_t>(time.millis()));
    packed += big_endian(record.replaces ? static_cast<std::uint64_t>(record.replaces->millis()) : kNoTime);
    packed += big_endian32(static_cast<std::uint32_t>(record.bytes.size()));
    packed += record.bytes;
  }
  return packed;
}

std::vector<DecidedRecord> unpack(std::string_view packed) {
  const auto take = [&packed](std::size_t size) {
    if (packed.size() < size) throw SharedLedgerDamaged("a commit's idempotency records break off");
    const auto taken = packed.substr(0, size);
    packed.remove_prefix(size);
    return taken;
  };
  const auto to_time = [](std::uint64_t millis) { return Timestamp(static_cast<std::int64_t>(millis)); };
  std::vector<DecidedRecord> records;
  while (!packed.empty()) {
    const auto key = digest_from_bytes(take(sizeof(Digest)));
    const auto time = to_time(from_big_endian(take(kBigEndianBytes)));
    const auto replaced = from_big_endian(take(kBigEndianBytes));
    const auto bytes = take(from_big_endian(take(kBigEndian32Bytes)));
    const auto replaces = replaced == kNoTime ? std::nullopt : std::optional(to_time(replaced));
    records.push_back({time, {key, std::string(bytes), replaces}});
  }
  return records;
}

}  // namespace pixledger::eventstore
