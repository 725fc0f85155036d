#include "eventstore/lmdb/lmdb_log_snapshot.h"

#include <algorithm>

#include "eventstore/lmdb/ended_epochs.h"
#include "eventstore/lmdb/lmdb_idempotency.h"
#include "eventstore/lmdb/lmdb_log_reads.h"

// The databases as they lie there. Their keys and values are those of docs/EVENT_FORMAT.md, or were, until
// somebody changed them: each is taken apart here without believing its form.
namespace pixledger::eventstore {
namespace {

constexpr std::size_t kVersionBytes = 4;

std::string time_key(Timestamp time) { return big_endian(static_cast<std::uint64_t>(time.millis())); }

// A walk along the keys, which has an end whatever the pages say: LMDB believes them, and where their keys
// are in no order, seeking one can lead back, and the pages in a circle.
class AscendingCursor : public LmdbCursor {
 public:
  using LmdbCursor::LmdbCursor;

  // As LmdbCursor's, but throw LogCorrupt where they come to a key that cannot lie there.
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

// The place of an entry is its key. `Parse` takes (key, value) to an entry.
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

// From the index of times, each with its record. Those of before there was a digest have none.
IdempotencyEntry parse_idempotency(MDB_txn* transaction, const LmdbLog::Databases& databases,
                                   std::string_view key, std::string_view value) {
  if (key.size() != kBigEndianBytes + kDigestBytes)
    throw LogCorrupt("the index of the times of idempotency records has a key that is none");
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

}  // namespace pixledger::eventstore
