#include "eventstore/lmdb/lmdb_log_reads.h"

#include <algorithm>
#include <chrono>

#include "eventstore/lmdb/lmdb_idempotency.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

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

std::string encode_journal(const StoredJournal& journal) {
  return big_endian(journal.number) + big_endian(journal.next.segment) + big_endian(journal.next.offset);
}

std::optional<StoredJournal> read_journal(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  const auto stored = lmdb_get(transaction, databases.meta, kJournal);
  if (!stored) return std::nullopt;
  if (stored->size() != 3 * sizeof(std::uint64_t))
    throw LogCorrupt("the ledger's record of its journal is damaged");
  return StoredJournal{from_big_endian(stored->substr(0, 8)),
                       {from_big_endian(stored->substr(8, 8)), from_big_endian(stored->substr(16))}};
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

// The raw databases. Their keys and values should be those of docs/reference/event-format.md, but the file
// may have been changed: each one is parsed without trusting its form.

namespace {

constexpr std::size_t kVersionBytes = 4;

std::string time_key(Timestamp time) { return big_endian(static_cast<std::uint64_t>(time.millis())); }

// A walk along the keys that ends even on damaged pages. LMDB trusts its pages: if their keys are out of
// order, seeking can go back, and the pages can form a circle.
class AscendingCursor : public LmdbCursor {
 public:
  using LmdbCursor::LmdbCursor;

  // Like LmdbCursor's, but throw LogCorrupt at a key that is out of order.
  bool seek_ascending(std::string_view at_or_after) {
    const bool is_there = seek(at_or_after);
    if (is_there && key() < at_or_after) refuse();
    return is_there;
  }
  bool next_ascending() {
    const auto last = key();
    const bool is_there = move(MDB_NEXT);
    if (is_there && key() <= last) refuse();
    return is_there;
  }

 private:
  [[noreturn]] static void refuse() { throw LogCorrupt("keys of the ledger are not in their order"); }
};

class Positions final : public PositionCursor {
 public:
  Positions(MDB_txn* transaction, MDB_dbi database) : cursor_(transaction, database) {}

  bool seek(Position at_or_after) override { return cursor_.seek_ascending(big_endian(at_or_after.value())); }
  bool next() override { return cursor_.next_ascending(); }
  Position position() const override { return to_position(cursor_.key()); }
  std::string_view value() const override { return cursor_.value(); }
  std::optional<std::string_view> find(Position position) override {
    return cursor_.find(big_endian(position.value()));
  }

 private:
  AscendingCursor cursor_;
};

// An entry's place is its key. `Parse` makes an entry of key and value.
template <class Port, class Entry>
class Entries : public Port {
 public:
  using Parse = Entry (*)(MDB_txn*, const LmdbLog::Databases&, std::string_view key, std::string_view value);

  Entries(MDB_txn* transaction, const LmdbLog::Databases& databases, MDB_dbi database, Parse parse,
          std::string from = {})
      : cursor_(transaction, database),
        transaction_(transaction),
        databases_(databases),
        parse_(parse),
        from_(std::move(from)) {}

  bool seek(std::string_view place) override {
    return read(cursor_.seek_ascending(std::max<std::string_view>(place, from_)));
  }
  bool next() override { return read(cursor_.next_ascending()); }
  const Entry& entry() const override { return entry_; }
  std::string place() const override { return std::string(cursor_.key()); }

 protected:
  AscendingCursor cursor_;

 private:
  bool read(bool is_there) {
    if (is_there) entry_ = parse_(transaction_, databases_, cursor_.key(), cursor_.value());
    return is_there;
  }

  MDB_txn* transaction_;
  const LmdbLog::Databases& databases_;
  const Parse parse_;
  const std::string from_;
  Entry entry_{};
};

class Streams final : public Entries<StreamCursor, StreamEntry> {
 public:
  using Entries::Entries;
  std::optional<Position> find(const StreamName& stream, std::uint32_t version) override {
    const auto stored = cursor_.find(stream_key(stream, version));
    return stored ? std::optional(to_position(*stored)) : std::nullopt;
  }
};

StreamEntry parse_stream(MDB_txn*, const LmdbLog::Databases&, std::string_view key, std::string_view value) {
  const auto end = key.find('\0');
  if (end == std::string_view::npos) return {{}, 0, to_position(value)};
  const auto version = key.substr(end + 1);
  return {key.substr(0, end),
          version.size() == kVersionBytes ? static_cast<std::uint32_t>(from_big_endian(version)) : 0,
          to_position(value)};
}

ClaimEntry parse_claim(MDB_txn*, const LmdbLog::Databases&, std::string_view key, std::string_view value) {
  return {key, value};
}

// From the index of times, each with its record. Entries of older releases have no digest.
IdempotencyEntry parse_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases,
                                   std::string_view key, std::string_view value) {
  if (key.size() != kBigEndianBytes + kDigestBytes)
    throw LogCorrupt("the index of the times of idempotency records has an invalid key");
  const auto record_key = key.substr(kBigEndianBytes);
  const auto record = lmdb_get(transaction, databases.idempotency, record_key);
  if (!record) throw LogCorrupt("there is a time of an idempotency record that is not there");
  return {.time = Timestamp(static_cast<std::int64_t>(from_big_endian(key.substr(0, kBigEndianBytes)))),
          .key = record_key,
          .record = *record,
          .is_as_written = value.empty() || value == bytes_of(idempotency_check(record_key, *record))};
}

}  // namespace

LogEnd LmdbLogSnapshot::end() const {
  const auto head = read_head(read_.get(), databases_);
  const auto keyring = lmdb_get(read_.get(), databases_.meta, "keyring");
  if (keyring && keyring->size() != kDigestBytes) throw LogCorrupt("the ledger's keyring record is damaged");
  return {{head.position, head.time},
          head.id_counter,
          keyring ? std::optional(digest_from_bytes(*keyring)) : std::nullopt,
          read_ended_epochs(read_.get(), databases_)};
}

std::unique_ptr<PositionCursor> LmdbLogSnapshot::events() const {
  return std::make_unique<Positions>(read_.get(), databases_.events);
}
std::unique_ptr<PositionCursor> LmdbLogSnapshot::personal() const {
  return std::make_unique<Positions>(read_.get(), databases_.personal);
}
std::unique_ptr<PositionCursor> LmdbLogSnapshot::tree() const {
  return std::make_unique<Positions>(read_.get(), databases_.tree);
}

std::unique_ptr<StreamCursor> LmdbLogSnapshot::streams() const {
  return std::make_unique<Streams>(read_.get(), databases_, databases_.streams, parse_stream);
}

std::unique_ptr<EntryCursor<ClaimEntry>> LmdbLogSnapshot::claims() const {
  return std::make_unique<Entries<EntryCursor<ClaimEntry>, ClaimEntry>>(read_.get(), databases_,
                                                                        databases_.claims, parse_claim);
}

std::uint64_t LmdbLogSnapshot::claim_count() const { return entries(databases_.claims); }

std::optional<std::string_view> LmdbLogSnapshot::claim_holder(const ClaimName& claim) const {
  return lmdb_get(read_.get(), databases_.claims, claim.text());
}

std::unique_ptr<EntryCursor<IdempotencyEntry>> LmdbLogSnapshot::idempotency(Timestamp from) const {
  return std::make_unique<Entries<EntryCursor<IdempotencyEntry>, IdempotencyEntry>>(
      read_.get(), databases_, databases_.idempotency_times, parse_idempotency, time_key(from));
}

std::optional<std::string> LmdbLogSnapshot::problem_of_idempotency() const {
  if (entries(databases_.idempotency) == entries(databases_.idempotency_times)) return std::nullopt;
  return "there are more or fewer idempotency records than their index of times has";
}

std::optional<std::string> LmdbLogSnapshot::problem_of_meta() const {
  const auto format = lmdb_get(read_.get(), databases_.meta, "format");
  const auto number = format && format->size() == sizeof(std::uint64_t) ? from_big_endian(*format) : 0;
  if (number == 0 || number > kNewestFormat) return "the ledger's format is not one that there has been";
  const auto check = lmdb_get(read_.get(), databases_.meta, kMetaCheck);
  if (!check || *check == bytes_of(digest_of_meta(read_.get(), databases_))) return std::nullopt;
  return "a record about the ledger (its id, epoch, head or clock) is not the one that was written";
}

std::uint64_t LmdbLogSnapshot::entries(MDB_dbi database) const {
  MDB_stat stat{};
  check_lmdb(mdb_stat(read_.get(), database, &stat), "mdb_stat");
  return stat.ms_entries;
}

namespace {

constexpr std::size_t kNumberBytes = 8;

}  // namespace

std::string encode_ended_epochs(const std::vector<EndedEpoch>& epochs) {
  std::string bytes;
  for (const auto& [epoch, last] : epochs) bytes += big_endian(epoch) + big_endian(last.value());
  return bytes;
}

std::vector<EndedEpoch> read_ended_epochs(MDB_txn* transaction, const LmdbLog::Databases& databases) {
  auto stored = lmdb_get(transaction, databases.meta, kEndedEpochs).value_or("");
  if (stored.size() % (2 * kNumberBytes) != 0)
    throw LogCorrupt("the ledger's record of ended epochs is damaged");
  std::vector<EndedEpoch> epochs;
  for (; !stored.empty(); stored.remove_prefix(2 * kNumberBytes))
    epochs.push_back({static_cast<std::uint32_t>(from_big_endian(stored.substr(0, kNumberBytes))),
                      to_position(stored.substr(kNumberBytes, kNumberBytes))});
  return epochs;
}

}  // namespace pixledger::eventstore
