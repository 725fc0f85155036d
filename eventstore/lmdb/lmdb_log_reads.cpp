#include "eventstore/lmdb/lmdb_log_reads.h"

#include <chrono>

#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {

namespace {

// One reading transaction lasts at most this long: it keeps all later pages alive.
constexpr std::chrono::milliseconds kReadMax{50};

template <class Open>
LmdbLog::Databases databases_by(const Open& open) {
  return {.events = open("events"),
          .personal = open("personal"),
          .streams = open("streams"),
          .claims = open("claims"),
          .tree = open("tree"),
          .idempotency = open("idempotency"),
          .idempotency_times = open("idempotency_times"),
          .meta = open("meta")};
}

}  // namespace

LmdbLog::Databases create_ledger_databases(LmdbEnvironment& environment) {
  return databases_by([&](const char* name) { return environment.open_database(name); });
}

LmdbLog::Databases find_ledger_databases(const LmdbEnvironment& environment) {
  return databases_by([&](const char* name) {
    if (const auto database = environment.find_database(name)) return *database;
    throw LogCorrupt((environment.directory() / "data.mdb").string() + " has no database '" +
                     std::string(name) + "': damaged");
  });
}

std::string encode_head(const StoredHead& head) {
  return big_endian(head.position.value()) + big_endian(static_cast<std::uint64_t>(head.time.millis())) +
         big_endian32(head.id_counter);
}

StoredHead read_head(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  const auto stored = lmdb_get(transaction, databases.meta, "head");
  if (!stored || stored->size() != 20) throw LogCorrupt("the ledger's head record is missing or damaged");
  return {Position(from_big_endian(stored->substr(0, 8))),
          Timestamp(static_cast<std::int64_t>(from_big_endian(stored->substr(8, 8)))),
          static_cast<std::uint32_t>(from_big_endian(stored->substr(16)))};
}

std::uint64_t read_format(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  const auto stored = lmdb_get(transaction, databases.meta, "format");
  if (!stored || stored->size() != sizeof(std::uint64_t))
    throw LogCorrupt("the ledger's record of its format is missing or damaged");
  return from_big_endian(*stored);
}

std::uint64_t read_copied_batch(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  const auto stored = lmdb_get(transaction, databases.meta, kCopiedBatch);
  if (!stored) return 0;
  if (stored->size() != sizeof(std::uint64_t))
    throw LogCorrupt("the copy's record of what it has taken in is damaged");
  return from_big_endian(*stored);
}

Digest digest_of_meta(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  std::string all;
  LmdbCursor cursor(transaction, databases.meta);
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
    if (cursor.key() == kMetaCheck) continue;
    all.append(cursor.key()).push_back('\0');
    all.append(big_endian(cursor.value().size())).append(cursor.value());
  }
  return sha256(all);
}

void seal_meta(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  lmdb_put(transaction, databases.meta, kMetaCheck, bytes_of(digest_of_meta(transaction, databases)));
}

ClockAcceptance read_clock_acceptance(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  const auto stored = lmdb_get(transaction, databases.meta, "clock_acceptance");
  if (!stored || stored->size() != 16) return {};
  ClockAcceptance acceptance{from_big_endian(stored->substr(0, 8)),
                             Timestamp(static_cast<std::int64_t>(from_big_endian(stored->substr(8)))),
                             std::nullopt};
  const auto clock = lmdb_get(transaction, databases.meta, "clock_accepted");
  if (clock && clock->size() > 8)
    acceptance.clock = ClockReading{std::string(clock->substr(8)),
                                    static_cast<std::int64_t>(from_big_endian(clock->substr(0, 8)))};
  return acceptance;
}

std::string stream_key(const StreamName& stream, std::uint32_t version) {
  std::string key;
  key.reserve(stream.text().size() + 5);
  key.append(stream.text()).push_back('\0');
  for (int shift = 24; shift >= 0; shift -= 8) key.push_back(static_cast<char>(version >> shift));
  return key;
}

std::uint32_t read_version(MDB_txn* transaction, const LmdbLog::Databases& databases,
                           const StreamName& stream) {
  LmdbCursor cursor(transaction, databases.streams);
  const auto beyond = stream_key(stream, UINT32_MAX);
  const bool found = cursor.seek(beyond) ? cursor.move(MDB_PREV) : cursor.move(MDB_LAST);
  const auto prefix = std::string_view(beyond).substr(0, beyond.size() - 4);
  if (!found || cursor.key().size() != beyond.size() || cursor.key().substr(0, prefix.size()) != prefix)
    return 0;
  return static_cast<std::uint32_t>(from_big_endian(cursor.key().substr(prefix.size())));
}

StreamBatch read_stream_events(MDB_txn* transaction, const LmdbLog::Databases& databases,
                               const StreamName& stream, std::uint32_t after_version, Position up_to,
                               ReadAllowance& allowance) {
  StreamBatch batch;
  LmdbCursor cursor(transaction, databases.streams);
  const auto from = stream_key(stream, after_version + 1);
  const auto prefix = std::string_view(from).substr(0, from.size() - 4);
  for (bool more = cursor.seek(from); more && cursor.key().substr(0, prefix.size()) == prefix;
       more = cursor.move(MDB_NEXT)) {
    const auto position = cursor.value();
    if (from_big_endian(position) > up_to.value()) break;
    if (allowance.is_used_up()) {
      batch.more = true;
      break;
    }
    const auto stored = lmdb_get(transaction, databases.events, position);
    if (!stored) throw LogCorrupt("stream " + stream.text() + " names a position that the log does not have");
    const auto personal = lmdb_get(transaction, databases.personal, position);
    batch.events.push_back(to_stored_event(to_position(position), *stored, personal.value_or("")));
    allowance.use_for(batch.events.back());
  }
  return batch;
}

std::vector<StoredEvent> read_events_after(MDB_txn* transaction, const LmdbLog::Databases& databases,
                                           Position after, std::size_t max) {
  std::vector<StoredEvent> events;
  const auto deadline = std::chrono::steady_clock::now() + kReadMax;
  LmdbCursor cursor(transaction, databases.events);
  LmdbCursor personal(transaction, databases.personal);
  for (bool more = cursor.seek(big_endian(after.next().value())); more && events.size() < max;
       more = cursor.move(MDB_NEXT)) {
    const bool has_personal = personal.seek(cursor.key()) && personal.key() == cursor.key();
    events.push_back(to_stored_event(to_position(cursor.key()), cursor.value(),
                                     has_personal ? personal.value() : std::string_view()));
    if (std::chrono::steady_clock::now() > deadline) break;
  }
  return events;
}

void check_leaves(MDB_txn* transaction, const LmdbLog::Databases& databases,
                  const std::vector<StoredEvent>& events) {
  LmdbCursor tree(transaction, databases.tree);
  for (const auto& event : events) {
    const auto record = tree.find(big_endian(event.position.value()));
    const auto leaf = leaf_hash(event.bytes, bytes_of(event.personal_digest));
    if (!record || record->substr(0, leaf.size()) != bytes_of(leaf))
      throw LogCorrupt("the event at position " + std::to_string(event.position.value()) +
                       " is not the one whose leaf the tree has");
    if (!event.personal.empty() && sha256(event.personal) != event.personal_digest)
      throw LogCorrupt("the personal data of the event at position " +
                       std::to_string(event.position.value()) + " are not those that were recorded with it");
  }
}

Position to_position(std::string_view key) { return Position(key.size() == 8 ? from_big_endian(key) : 0); }

StreamName to_stream_name(std::string_view stored) {
  auto name = StreamName::parse(stored);
  if (!name) throw LogCorrupt("a claim names something that is not a stream");
  return std::move(*name);
}

std::optional<StreamName> read_claim(MDB_txn* transaction, const LmdbLog::Databases& databases,
                                     const ClaimName& claim) {
  const auto stored = lmdb_get(transaction, databases.claims, claim.text());
  if (!stored) return std::nullopt;
  return to_stream_name(*stored);
}

}  // namespace pixledger::eventstore
