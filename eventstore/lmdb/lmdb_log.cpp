#include "eventstore/lmdb/lmdb_log.h"

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "base/platform/signals.h"
#include "eventstore/lmdb/event_appender.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lmdb_idempotency.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "eventstore/lmdb/lmdb_log_recovery.h"
#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kGate = "gate";
constexpr const char* kWake = "wake";
constexpr auto kStaleReadersEvery = std::chrono::seconds(1);

const std::filesystem::path& existing(const std::filesystem::path& directory) {
  if (!LmdbLog::is_in(directory)) throw std::runtime_error("there is no ledger in " + directory.string());
  check_file_is_not_empty(directory / "data.mdb");
  return directory;
}

LogIdentity read_identity(const LmdbEnvironment& environment, const LmdbLog::Databases& databases) {
  const LmdbRead read(environment);
  const auto format = lmdb_get(read.get(), databases.meta, "format");
  const auto ledger_id = lmdb_get(read.get(), databases.meta, "ledger_id");
  const auto epoch = lmdb_get(read.get(), databases.meta, "epoch");
  if (!format || format->size() != 8 || !ledger_id || ledger_id->size() != 32 || !epoch || epoch->size() != 8)
    throw LogCorrupt("the ledger's meta records are missing or damaged");
  if (from_big_endian(*format) > kNewestFormat)
    throw std::runtime_error("this ledger was written by a newer release (format " +
                             std::to_string(from_big_endian(*format)) + ", this release knows " +
                             std::to_string(kNewestFormat) + "): upgrade pixledger");
  return {std::string(*ledger_id), static_cast<std::uint32_t>(from_big_endian(*epoch))};
}

// Returns nullopt unless the error is a shortage of a resource.
std::optional<std::string> describe_shortage(const LmdbError& error, const std::filesystem::path& file) {
  if (error.code() == MDB_MAP_FULL) return std::string(kMapIsFull);
  if (error.code() == MDB_TXN_FULL || error.code() == MDB_MAP_RESIZED)
    return std::string("the ledger has no room: ") + error.what();
  return describe_refusal(error.code() == EIO ? cause_of_short_write(file) : error.code());
}

}  // namespace

bool LmdbLog::is_in(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "data.mdb");
}

void LmdbLog::create(const std::filesystem::path& directory, Entropy& entropy, const LmdbOptions& options,
                     const Keyring* keyring) {
  if (is_in(directory)) throw std::runtime_error("there is a ledger in " + directory.string() + " already");
  std::filesystem::create_directories(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  const auto ledger_id = to_hex(entropy.bytes(16));

  LmdbEnvironment environment(directory, options);
  const auto databases = create_ledger_databases(environment);
  LmdbWrite write(environment);
  lmdb_put(write.get(), databases.meta, "ledger_id", ledger_id);
  lmdb_put(write.get(), databases.meta, "epoch", big_endian(1));
  lmdb_put(write.get(), databases.meta, "head", encode_head({}));
  if (keyring) lmdb_put(write.get(), databases.meta, "keyring", bytes_of(keyring->code_of_ledger(ledger_id)));
  // In the same commit as the rest: a ledger without a format does not exist.
  lmdb_put(write.get(), databases.meta, "format", big_endian(kLedgerFormatVersion));
  seal_meta(write.get(), databases);
  write.commit();
}

LmdbLog::LmdbLog(const std::filesystem::path& directory, const LmdbOptions& options, FormatOf format_of)
    : LmdbLog(directory, std::make_unique<LmdbOpening>(existing(directory), options), std::move(format_of)) {}

LmdbLog::LmdbLog(const std::filesystem::path& directory, std::unique_ptr<LmdbOpening> opening,
                 FormatOf format_of)
    : format_of_(std::move(format_of)),
      mark_(std::move(opening->mark)),
      environment_(directory, opening->options),
      databases_(find_ledger_databases(environment_)),
      identity_(read_identity(environment_, databases_)),
      look_every_(opening->options.look_every),
      committed_(opening->options.read_only ? WakeSignal() : WakeSignal(directory / kWake)) {
  if (!opening->options.read_only) gate_.emplace(directory / kGate);
  finish_opening(*opening, opening->options.journal);
}

LmdbLog::~LmdbLog() = default;

bool LmdbLog::may_be_written(const std::filesystem::path& directory) {
  return may_write(directory, {"data.mdb", "lock.mdb", kGate});
}

const WriteGate& LmdbLog::gate() const {
  assert(gate_);
  return *gate_;
}

std::unique_ptr<LogSnapshot> LmdbLog::snapshot() const {
  return std::make_unique<LmdbLogSnapshot>(environment_, databases_);
}

Head LmdbLog::head() const {
  const LmdbRead read(environment_);
  const auto stored = read_head(read.get(), databases_);
  return {stored.position, stored.time};
}

LmdbLog::Copied LmdbLog::copied() const {
  const LmdbRead read(environment_);
  return {read_copied_batch(read.get(), databases_), read_head(read.get(), databases_).position};
}

bool LmdbLog::is_copy() const { return is_format_of_copy(stored_format()); }

void LmdbLog::check(const std::vector<StoredEvent>& events) const {
  if (events.empty()) return;
  const LmdbRead read(environment_);
  check_leaves(read.get(), databases_, events);
}

void LmdbLog::become_copy(const std::function<std::uint64_t()>& publish) {
  std::optional<WriteGate::Pass> pass(gate());
  const auto format = stored_format();
  const bool was_copy = is_format_of_copy(format);
  if (!was_copy) {
    const auto noted = note_format(format_of_copy(format));
    if (keeper_) {
      // Its keeper passes the gate, too. Who writes meanwhile is refused already.
      pass.reset();
      make_durable(noted);
      pass.emplace(gate());
    }
  }
  std::uint64_t batch = 0;
  try {
    batch = publish();
  } catch (const LogOutcomeUnknown&) {
    throw;
  } catch (...) {
    // Only if sharing began in this call: the outcome of an earlier attempt is unknown.
    if (was_copy) throw;
    const auto noted = note_format(format);
    pass.reset();
    make_durable(noted);
    throw;
  }
  const auto write = begin_exclusive();
  const auto transaction = mdb_txn_id(write->get());
  lmdb_put(write->get(), databases_.meta, kCopiedBatch, big_endian(batch));
  seal_meta(write->get(), databases_);
  write->commit();
  pass.reset();
  make_durable(transaction);
  // Erasures of a copy do not look for persons there.
  if (!journal_) return;
  in_turn([&](LmdbWrite& still) {
    if (const auto journal = read_journal(still.get(), databases_)) journal_->erase_before(journal->next);
  });
}

void LmdbLog::be_no_copy(const std::function<void()>& check) {
  std::uint64_t noted = 0;
  {
    const WriteGate::Pass pass(gate());
    { const auto after_who_was_inside = begin_exclusive(); }
    check();
    const auto format = stored_format();
    if (!is_format_of_copy(format)) return;
    // Nothing goes back to a copy's checkpoint, so the ledger may not be one before it is whole on the disk.
    check_lmdb(mdb_env_set_flags(environment_.get(), MDB_NOSYNC, 0), "mdb_env_set_flags");
    noted = note_format(format - 1);
    if (keeper_) environment_.end_syncs();
  }
  make_durable(noted);
}

std::uint64_t LmdbLog::stored_format() const {
  const LmdbRead read(environment_);
  return read_format(read.get(), databases_);
}

std::uint64_t LmdbLog::note_format(std::uint64_t format) {
  const auto write = begin_exclusive();
  const auto transaction = mdb_txn_id(write->get());
  lmdb_put(write->get(), databases_.meta, "format", big_endian(format));
  seal_meta(write->get(), databases_);
  write->commit();
  return transaction;
}

std::uint32_t LmdbLog::version_of(const StreamName& stream) const {
  const LmdbRead read(environment_);
  return read_version(read.get(), databases_, stream);
}

std::vector<StoredEvent> LmdbLog::read_after(Position after, std::size_t max) const {
  const LmdbRead read(environment_);
  return read_events_after(read.get(), databases_, after, max);
}

StreamBatch LmdbLog::read_stream(const StreamName& stream, std::uint32_t after_version,
                                 Position up_to) const {
  const LmdbRead read(environment_);
  auto allowance = kStreamBatch;
  return read_stream_events(read.get(), databases_, stream, after_version, up_to, allowance);
}

std::optional<StreamName> LmdbLog::claim_holder(const ClaimName& claim) const {
  const LmdbRead read(environment_);
  return read_claim(read.get(), databases_, claim);
}

std::vector<std::pair<ClaimName, StreamName>> LmdbLog::claims_with_prefix(const std::string& prefix) const {
  std::vector<std::pair<ClaimName, StreamName>> claims;
  const LmdbRead read(environment_);
  LmdbCursor cursor(read.get(), databases_.claims);
  for (bool more = cursor.seek(prefix); more && cursor.key().substr(0, prefix.size()) == prefix;
       more = cursor.move(MDB_NEXT))
    claims.emplace_back(ClaimName(std::string(cursor.key())), to_stream_name(cursor.value()));
  return claims;
}

std::optional<Digest> LmdbLog::leaf_hash(Position position) const {
  const auto record = tree_record(position);
  if (!record) return std::nullopt;
  return digest_from_bytes(std::string_view(*record).substr(0, 32));
}

std::optional<std::string> LmdbLog::tree_record(Position position) const {
  const LmdbRead read(environment_);
  const auto record = lmdb_get(read.get(), databases_.tree, big_endian(position.value()));
  if (!record) return std::nullopt;
  if (record->size() < 32 || record->size() % 32 != 0)
    throw LogCorrupt("the tree record of position " + std::to_string(position.value()) + " is damaged");
  return std::string(*record);
}

ClockAcceptance LmdbLog::clock_acceptance() const {
  const LmdbRead read(environment_);
  return read_clock_acceptance(read.get(), databases_);
}

void LmdbLog::accept_clock(const ClockReading& clock) {
  std::uint64_t transaction = 0;
  {
    const WriteGate::Pass pass(gate());
    const auto write = begin_exclusive();
    transaction = mdb_txn_id(write->get());
    const auto last = read_clock_acceptance(write->get(), databases_);
    const auto head = read_head(write->get(), databases_);
    lmdb_put(write->get(), databases_.meta, "clock_acceptance",
             big_endian(last.count + 1) + big_endian(static_cast<std::uint64_t>(head.time.millis())));
    lmdb_put(write->get(), databases_.meta, "clock_accepted",
             big_endian(static_cast<std::uint64_t>(clock.offset_ms)) + clock.boot_id);
    seal_meta(write->get(), databases_);
    write->commit();
  }
  make_durable(transaction);
}

bool LmdbLog::wait_past_or(Position position, std::chrono::milliseconds timeout,
                           const WakeSignal::Condition& other) const {
  return committed_.wait(timeout, look_every_, [&] { return other() || head().position > position; });
}

// One exclusive write, of the log itself or of a copy.
class LmdbLog::Write final : public CopyWrite {
 public:
  // Whether it writes the log itself, a copy, whose commits are counted, or what the journal has of the log.
  enum class Of { kLog, kCopy, kRecovery };

  Write(LmdbLog& log, Of of) : log_(log), transaction_(begin(log)) {
    stored_head_ = read_head(transaction_->get(), log.databases_);
    if (of == Of::kCopy) batch_ = read_copied_batch(transaction_->get(), log.databases_);
    format_ = read_format(transaction_->get(), log.databases_);
    if (log.keeper_ && of != Of::kCopy) journal_ = read_journal(transaction_->get(), log.databases_);
    is_recovery_ = of == Of::kRecovery;
    // A process that opened the ledger before it was shared would write what no other machine learns.
    if (of == Of::kLog && is_format_of_copy(format_))
      throw LogUnavailable("the ledger has gone to several machines; begin again");
  }
  // Not in commit(), so that the committer can pass the events to this process's followers of the log first.
  ~Write() override {
    if (is_committed_) log_.wake();
  }

  Head head() const override { return {stored_head_.position, stored_head_.time}; }
  std::uint32_t id_counter() const override { return stored_head_.id_counter; }
  std::uint32_t version_of(const StreamName& stream) const override {
    return read_version(transaction_->get(), log_.databases_, stream);
  }

  Loaded load(const LoadSet& set) const override {
    auto* transaction = transaction_->get();
    const auto& databases = log_.databases_;
    Loaded loaded;
    loaded.streams.reserve(set.streams.size());
    auto allowance = kLoad;
    for (const auto& stream : set.streams)
      loaded.streams.push_back(
          read_stream_events(transaction, databases, stream.name, stream.known_version, kNoLimit, allowance));
    if (batch_)
      for (const auto& stream : loaded.streams) check_leaves(transaction, databases, stream.events);
    for (const auto& claim : set.claims) loaded.claims.push_back(read_claim(transaction, databases, claim));
    for (const auto& key : set.idempotency_keys) {
      const auto record = lmdb_get(transaction, databases.idempotency, bytes_of(key));
      loaded.idempotency.push_back(record ? std::optional<std::string>(*record) : std::nullopt);
    }
    return loaded;
  }

  std::vector<StoredEvent> read_after(Position after, std::size_t max) const override {
    auto events = read_events_after(transaction_->get(), log_.databases_, after, max);
    if (batch_) check_leaves(transaction_->get(), log_.databases_, events);
    return events;
  }

  void append(const Batch& batch) override {
    assert(batch.time >= stored_head_.time);
    if_there_is_room([&] {
      put_records(batch.records);
      put_idempotency(transaction_->get(), log_.databases_, batch);
      put_format(batch.records);
      put_head(batch.time, batch.id_counter);
      if (!journal_) return;
      record_ = begin_record();
      put_batch(record_, batch, root());
    });
  }

  std::uint64_t batch() const override { return batch_.value(); }
  Digest root() const override { return appender().root(); }

  void take_in(const DecidedBatch& batch) override {
    const auto before = is_recovery_ ? journal_.value().number : batch_.value();
    if (batch.number != before + 1)
      throw CopyAstray("commit " + std::to_string(batch.number) + " does not follow commit " +
                       std::to_string(before));
    if_there_is_room([&] {
      for (const auto& event : batch.events)
        append_decided({.stream = event.stream,
                        .version = event.version,
                        .leaf = event.leaf,
                        .personal = event.personal,
                        .claims = event.claims});
      for (const auto& [time, record] : batch.idempotency) take_in_decided(batch.time, time, record);
      if (!batch.idempotency.empty())
        prune_idempotency(transaction_->get(), log_.databases_, batch.time,
                          pruned_per_append(batch.idempotency.size()));
      stored_head_.position = appender().last();
      put_head(batch.time, batch.id_counter);
    });
    if (root() != batch.root)
      throw WrongRoot("at position " + std::to_string(stored_head_.position.value()) +
                      " the tree here has the root " + to_hex(root()) + ", and " + to_hex(batch.root) +
                      " there");
  }

  // For recovery: the batch taken in is a record already.
  void follow_record(const JournalPlace& next) {
    if_there_is_room([&] { put_journal(next); });
  }

  void commit() override {
    if (log_.keeper_ && !is_planted(Planted::kStaleReadersClearedByAll)) log_.keeper_->ensure();
    const bool is_late = is_planted(Planted::kCommitBeforeJournal);
    const auto room = record_.empty() ? std::nullopt : std::optional(make_room());
    if (room && !is_late) write_record(*room);
    try {
      transaction_->commit();
    } catch (const LmdbError& error) {
      if (room) remove_record(*room);
      // If a write failed before the meta page, nothing of the batch counts. LMDB's code does not distinguish
      // a failed write from a failed sync, so try a sync: it fails again if the first one did. LMDB rejects
      // all later writes if it does not know whether the meta page is on the disk. A damaged copy can be
      // fetched again, so that error is thrown. A read-only file system fails each sync, and took no meta
      // page that LMDB does not know of: reads continue.
      if (batch_ && dynamic_cast<const LmdbDamaged*>(&error)) throw;
      const auto shortage = describe_shortage(error, data_file());
      if (!shortage) end_undurable(error.what());
      const bool may_go_on = error.code() == EROFS || log_.environment_.syncs_well();
      if (!may_go_on || !log_.can_write()) end_undurable(*shortage);
      throw LogUnavailable(*shortage);
    }
    if (room && is_late) write_record(*room);
    is_committed_ = true;
  }

 private:
  Journal::Room make_room() {
    try {
      const auto room =
          log_.journal_->make_room(journal_.value().next, record_bytes(record_.size() - kRecordHeadBytes));
      if_there_is_room([&] { put_journal(room.after); });
      return room;
    } catch (const std::system_error& error) {
      throw LogUnavailable(describe_refusal(error.code().value()).value_or(error.what()));
    }
  }

  void put_journal(const JournalPlace& next) {
    lmdb_put(transaction_->get(), log_.databases_.meta, kJournal,
             encode_journal({journal_.value().number + 1, next}));
    seal_meta(transaction_->get(), log_.databases_);
  }

  void write_record(const Journal::Room& room) {
    try {
      log_.journal_->write(room, journal_.value().number + 1, record_);
      log_.keeper_->note_written(room);
    } catch (const Journal::Uncertain& error) {
      end_undurable(error.what());
    } catch (const std::system_error& error) {
      throw LogUnavailable(describe_refusal(error.code().value()).value_or(error.what()));
    }
  }

  // The batch was not committed, so recovery must not take it in.
  void remove_record(const Journal::Room& room) {
    try {
      log_.journal_->remove(room);
    } catch (const std::exception& error) {
      end_undurable(error.what());
    }
  }

  static std::unique_ptr<LmdbWrite> begin(LmdbLog& log) {
    const WriteGate::Pass pass(log.gate());
    try {
      return log.begin_exclusive();
    } catch (const LmdbError& error) {
      throw LogUnavailable(describe_refusal(error.code()).value_or(error.what()));
    }
  }

  template <class Work>
  void if_there_is_room(const Work& work) {
    try {
      work();
    } catch (const LmdbError& error) {
      const auto shortage = describe_shortage(error, data_file());
      if (!shortage) throw;
      throw LogUnavailable(*shortage);
    }
  }

  std::filesystem::path data_file() const { return log_.environment_.directory() / "data.mdb"; }

  EventAppender& appender() const {
    if (!appender_) appender_.emplace(transaction_->get(), log_.databases_, stored_head_.position);
    return *appender_;
  }

  void put_records(const std::vector<NewRecord>& records) {
    if (records.empty()) return;
    std::string value;
    for (const auto& record : records) {
      value.assign(record.bytes).append(bytes_of(sha256(record.personal)));
      appender().append({.stream = record.stream,
                         .version = record.version,
                         .leaf = value,
                         .personal = record.personal,
                         .claims = record.claims});
    }
    stored_head_.position = appender().last();
  }

  // Another node's commit always fits a correct copy, so a conflict shows that the copy is wrong.
  void append_decided(const AppendedEvent& event) {
    try {
      appender().append(event);
    } catch (const LmdbError& error) {
      if (error.code() != MDB_KEYEXIST) throw;
      throw CopyAstray("version " + std::to_string(event.version) + " of " + event.stream.text() +
                       ", or a name that it states, is there already");
    }
  }

  void take_in_decided(Timestamp now, Timestamp time, const NewIdempotencyRecord& record) {
    try {
      take_in_idempotency(transaction_->get(), log_.databases_, now, time, record);
    } catch (const LmdbError& error) {
      if (error.code() != MDB_KEYEXIST) throw;
      throw CopyAstray("an idempotency record that counts is there already of a key that was decided anew");
    }
  }

  // Older releases do not read copies of a shared ledger at all.
  void put_format(const std::vector<NewRecord>& records) {
    if (batch_ || !log_.format_of_) return;
    for (const auto& record : records) {
      if (format_ >= kLedgerFormat) return;
      const std::uint64_t needed =
          log_.format_of_({stored_head_.position, record.bytes, sha256(record.personal), record.personal});
      if (needed <= format_) continue;
      lmdb_put(transaction_->get(), log_.databases_.meta, "format", big_endian(needed));
      format_ = needed;
    }
  }

  void put_head(Timestamp time, std::uint32_t id_counter) {
    stored_head_.time = time;
    stored_head_.id_counter = id_counter;
    const auto put = [&](std::string_view name, const std::string& value) {
      lmdb_put(transaction_->get(), log_.databases_.meta, name, value);
    };
    put("head", encode_head(stored_head_));
    if (batch_) put(kCopiedBatch, big_endian(++*batch_));
    if (!journal_) seal_meta(transaction_->get(), log_.databases_);
  }

  LmdbLog& log_;
  HeldSignals signals_;  // a writer killed by a signal blocks others until LMDB notices
  std::unique_ptr<LmdbWrite> transaction_;
  StoredHead stored_head_;
  std::uint64_t format_ = 0;
  std::optional<std::uint64_t> batch_;    // nullopt: not a copy
  std::optional<StoredJournal> journal_;  // as of the state before; nullopt: writes no record
  std::string record_;                    // of the batch
  bool is_recovery_ = false;
  mutable std::optional<EventAppender> appender_;  // made at first use: it reads the tree
  bool is_committed_ = false;
};

void LmdbLog::take_in(const JournalRecord& record, const JournalPlace& next, const std::string& place) {
  try {
    auto batch = read_batch(record.content);
    batch.number = record.number;
    Write write(*this, Write::Of::kRecovery);
    write.take_in(batch);
    write.follow_record(next);
    write.commit();
  } catch (const CopyAstray& error) {
    throw LogCorrupt("the journal " + place + " does not follow the ledger: " + error.what() +
                     ". Restore a backup");
  }
}

std::unique_ptr<LmdbWrite> LmdbLog::begin_exclusive() {
  auto write = std::make_unique<LmdbWrite>(environment_);
  if (keeper_) keeper_->ensure();
  return write;
}

void LmdbLog::make_durable(std::uint64_t transaction) {
  if (keeper_) keeper_->make_durable(transaction);
}

std::uint64_t LmdbLog::last_commit() const {
  const LmdbRead read(environment_);
  return mdb_txn_id(read.get());
}

bool LmdbLog::can_write() {
  try {
    const LmdbWrite probe(environment_);
    return true;
  } catch (const LmdbError& error) {
    return error.code() != MDB_PANIC;
  }
}

void LmdbLog::clear_stale_readers_at_times() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_reader_check_.load()) return;
  next_reader_check_ = now + kStaleReadersEvery;
  environment_.clear_stale_readers();
}

std::unique_ptr<LogWrite> LmdbLog::begin_write() {
  clear_stale_readers_at_times();
  return std::make_unique<Write>(*this, Write::Of::kLog);
}

std::unique_ptr<CopyWrite> LmdbLog::begin_copy_write() {
  clear_stale_readers_at_times();
  return std::make_unique<Write>(*this, Write::Of::kCopy);
}

}  // namespace pixledger::eventstore
