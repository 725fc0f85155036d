#include "eventstore/lmdb/lmdb_environment.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <linux/magic.h>
#include <memory>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lock_file.h"
#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {
namespace {

void end(MDB_txn*& transaction) {
  if (transaction) mdb_txn_abort(transaction);
  transaction = nullptr;
}

int renew(MDB_env* environment, MDB_txn*& transaction) {
  if (!transaction) return mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction);
  const int code = mdb_txn_renew(transaction);
  if (code != MDB_SUCCESS) end(transaction);
  return code;
}

}  // namespace

SettledReaders::~SettledReaders() {
  for (auto& witness : witnesses_) end(witness.transaction);
}

int SettledReaders::take(MDB_txn*& reader) {
  while (true) {
    int code = renew(environment_, reader);
    if (code != MDB_SUCCESS) return code;
    // The published number must be read after the meta page.
    std::atomic_thread_fence(std::memory_order_acquire);
    std::size_t published = 0;
    code = read_published(published);
    if (code != MDB_SUCCESS) {
      end(reader);
      return code;
    }
    if (mdb_txn_id(reader) == published) return MDB_SUCCESS;
    mdb_txn_reset(reader);
  }
}

int SettledReaders::read_published(std::size_t& number) {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t thread = threads++;
  auto& witness = witnesses_[thread % witnesses_.size()];
  const std::lock_guard lock(witness.mutex);
  const int code = renew(environment_, witness.transaction);
  if (code != MDB_SUCCESS) return code;
  number = mdb_txn_id(witness.transaction);
  mdb_txn_reset(witness.transaction);
  return code;
}

namespace {

constexpr std::size_t kIdleReadersMax = 256;
// How long an enlargement of the map waits for running transactions; new ones wait as long.
constexpr std::chrono::milliseconds kExchangeMax{1000};

void refuse_network_file_system(const std::filesystem::path& directory) {
  struct statfs info {};
  if (::statfs(directory.c_str(), &info) == 0 && info.f_type == NFS_SUPER_MAGIC)
    throw std::runtime_error(directory.string() +
                             " is on NFS, where LMDB's locks do not work: use a local disk");
}

// Names the file of a failed operation.
void check_step(int code, MDB_txn* transaction, const char* what) {
  if (code == MDB_SUCCESS) return;
  const char* directory = nullptr;
  mdb_env_get_path(mdb_txn_env(transaction), &directory);
  throw_lmdb(std::string(what) + " in " + (std::filesystem::path(directory) / "data.mdb").string(), code);
}

std::string in_mib(std::uintmax_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

// LMDB stores it with the environment.
SettledReaders& settled_readers(MDB_env* environment) {
  return *static_cast<SettledReaders*>(mdb_env_get_userctx(environment));
}

// Returns additional flags for opening a read-only environment.
unsigned locking_of_reader(const std::filesystem::path& directory) {
  if (may_write(directory, {"data.mdb", "lock.mdb"})) return 0;
  if (is_locked(directory / "lock.mdb"))
    throw std::runtime_error(
        directory.string() +
        " is in use, and this process may not write there, which it takes to read beside "
        "others: run it as the directory's owner, or read a copy");
  return MDB_NOLOCK;
}

}  // namespace

LmdbError::LmdbError(const std::string& what, int code)
    : std::runtime_error(what + ": " + mdb_strerror(code)), code_(code) {}

// MDB_BAD_TXN means that the transaction has met one of the other errors before. A size or handle that LMDB
// rejects (MDB_BAD_VALSIZE, MDB_BAD_DBI) is the caller's mistake.
void throw_lmdb(const std::string& what, int code) {
  for (const int damage : {MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_INCOMPATIBLE, MDB_NOTFOUND,
                           MDB_CURSOR_FULL, MDB_BAD_TXN, MDB_VERSION_MISMATCH}) {
    if (code == damage) throw LmdbDamaged(what, code);
  }
  throw LmdbError(what, code);
}

void throw_cannot_open(const std::filesystem::path& directory, std::size_t map_bytes, int code) {
  refuse_damaged_lock_file(directory, code);
  if (code == MDB_INVALID || code == MDB_VERSION_MISMATCH)
    throw_lmdb("cannot open " + (directory / "data.mdb").string(), code);
  if (code != ENOMEM) throw_lmdb("cannot open " + directory.string(), code);
  std::error_code unknown;
  const auto file_bytes = std::filesystem::file_size(directory / "data.mdb", unknown);
  throw LmdbMapRefused("cannot open " + directory.string() + ": the system refuses " + in_mib(map_bytes) +
                       " of address space for it; raise the limit (LimitAS, ulimit -v) or give all programs "
                       "a smaller --map-size" +
                       (unknown ? "" : ", more than the " + in_mib(file_bytes) + " that it has now"));
}

void check_lmdb(int code, const char* what) {
  if (code != MDB_SUCCESS) throw_lmdb(what, code);
}

std::optional<std::string_view> lmdb_get(MDB_txn* transaction, MDB_dbi database, std::string_view key) {
  MDB_val key_val = to_val(key);
  MDB_val value{};
  const int code = mdb_get(transaction, database, &key_val, &value);
  if (code == MDB_NOTFOUND) return std::nullopt;
  check_step(code, transaction, "mdb_get");
  return from_val(value);
}

void lmdb_put(MDB_txn* transaction, MDB_dbi database, std::string_view key, std::string_view value,
              unsigned flags) {
  MDB_val key_val = to_val(key);
  MDB_val value_val = to_val(value);
  check_step(mdb_put(transaction, database, &key_val, &value_val, flags), transaction, "mdb_put");
}

void LmdbEnvironment::Close::operator()(MDB_env* environment) const {
  delete static_cast<SettledReaders*>(mdb_env_get_userctx(environment));
  mdb_env_close(environment);
}

LmdbEnvironment::LmdbEnvironment(const std::filesystem::path& directory, const LmdbOptions& options)
    : directory_(directory), read_only_(options.read_only), has_checkpoints_(options.has_checkpoints) {
  refuse_network_file_system(directory);
  MDB_env* made = nullptr;
  check_lmdb(mdb_env_create(&made), "mdb_env_create");
  environment_.reset(made);
  mdb_env_set_userctx(made, std::make_unique<SettledReaders>(made).release());
  check_lmdb(mdb_env_set_mapsize(made, options.map_bytes), "mdb_env_set_mapsize");
  check_lmdb(mdb_env_set_maxdbs(made, options.databases_max), "mdb_env_set_maxdbs");
  check_lmdb(mdb_env_set_maxreaders(made, options.readers_max), "mdb_env_set_maxreaders");
  // Readers are not bound to threads: they are pooled.
  const unsigned flags = MDB_NOTLS | (options.sync ? 0U : MDB_NOSYNC) |
                         (options.read_only ? MDB_RDONLY | locking_of_reader(directory) : 0U);
  if ((flags & MDB_NOLOCK) == 0) {
    refuse_lost_lock_file(directory);
    reserve_lock_file(directory, options.readers_max);
  }
  const int code = mdb_env_open(made, directory.c_str(), flags, 0600);
  if (code != MDB_SUCCESS) throw_cannot_open(directory, options.map_bytes, code);
  // A read-only environment changes nothing.
  if (!options.read_only) clear_stale_readers();
  const auto& data_file = data_file_.emplace(directory / "data.mdb", O_RDONLY);
  if (!data_file) throw LmdbError("cannot open the data file in " + directory.string(), errno);
  if ((flags & MDB_NOLOCK) == 0) mark_in_use(data_file.number());
  check_file_is_whole(made, data_file.number(), directory / "data.mdb");
}

LmdbEnvironment::~LmdbEnvironment() {
  for (auto* reader : idle_readers_) mdb_txn_abort(reader);
}

MDB_dbi LmdbEnvironment::open_database(const char* name) {
  if (const auto existing = find_database(name)) return *existing;
  if (read_only_) check_lmdb(MDB_NOTFOUND, "mdb_dbi_open");
  LmdbWrite write(*this);
  MDB_dbi database = 0;
  check_lmdb(mdb_dbi_open(write.get(), name, MDB_CREATE, &database), "mdb_dbi_open");
  write.commit();
  return database;
}

std::optional<MDB_dbi> LmdbEnvironment::find_database(const char* name) const {
  MDB_txn* reader = take_reader();
  MDB_dbi database = 0;
  int code = mdb_dbi_open(reader, name, 0, &database);
  if (code == MDB_SUCCESS)
    code = mdb_txn_commit(reader);  // or the handle is lost
  else
    mdb_txn_abort(reader);
  transaction_ended();
  if (code == MDB_NOTFOUND) return std::nullopt;
  if (code != MDB_SUCCESS) throw_lmdb("cannot read " + (directory_ / "data.mdb").string(), code);
  return database;
}

void LmdbEnvironment::clear_stale_readers() const {
  if (!has_checkpoints_ || is_planted(Planted::kStaleReadersClearedByAll)) clear_stale_readers_as_keeper();
}

void LmdbEnvironment::clear_stale_readers_as_keeper() const {
  check_lmdb(mdb_reader_check(environment_.get(), nullptr), "mdb_reader_check");
}

void LmdbEnvironment::sync() const { check_lmdb(mdb_env_sync(environment_.get(), 1), "mdb_env_sync"); }

void LmdbEnvironment::end_syncs() const {
  check_lmdb(mdb_env_set_flags(environment_.get(), MDB_NOSYNC, 1), "mdb_env_set_flags");
}

int LmdbEnvironment::sync_data() const { return ::fdatasync(data_file_->number()) == 0 ? 0 : errno; }

bool LmdbEnvironment::syncs_well() const { return sync_data() == 0; }

void LmdbEnvironment::enter(std::unique_lock<std::mutex>& lock) const {
  changed_.wait(lock, [this] { return !exchanging_; });
  ++users_;
}

void LmdbEnvironment::leave() const {
  if (--users_ == 0 && exchanging_) changed_.notify_all();
}

void LmdbEnvironment::adopt_larger_map() const {
  std::unique_lock lock(mutex_);
  if (exchanging_) {
    changed_.wait(lock, [this] { return !exchanging_; });
    return;
  }
  exchanging_ = true;
  int code = MDB_MAP_RESIZED;
  if (changed_.wait_for(lock, kExchangeMax, [this] { return users_ == 0; }))
    code = mdb_env_set_mapsize(environment_.get(), 0);
  exchanging_ = false;
  changed_.notify_all();
  check_lmdb(code, "mdb_env_set_mapsize");
}

int LmdbEnvironment::try_reader(MDB_txn*& reader) const {
  {
    std::unique_lock lock(mutex_);
    enter(lock);
    if (!idle_readers_.empty()) {
      reader = idle_readers_.back();
      idle_readers_.pop_back();
    }
  }
  const int code = settled_readers(environment_.get()).take(reader);
  if (code == MDB_SUCCESS) return code;
  const std::lock_guard lock(mutex_);
  leave();
  return code;
}

int LmdbEnvironment::try_writer(MDB_txn*& writer) const {
  {
    std::unique_lock lock(mutex_);
    enter(lock);
  }
  const int code = mdb_txn_begin(environment_.get(), nullptr, 0, &writer);
  if (code != MDB_SUCCESS) transaction_ended();
  return code;
}

MDB_txn* LmdbEnvironment::take_reader() const {
  MDB_txn* reader = nullptr;
  int code = try_reader(reader);
  if (code == MDB_MAP_RESIZED) {
    adopt_larger_map();
    code = try_reader(reader);
  }
  check_lmdb(code, "mdb_txn_begin");
  return reader;
}

void LmdbEnvironment::give_back(MDB_txn* reader) const {
  mdb_txn_reset(reader);
  const std::lock_guard lock(mutex_);
  if (idle_readers_.size() < kIdleReadersMax)
    idle_readers_.push_back(reader);
  else
    mdb_txn_abort(reader);
  leave();
}

MDB_txn* LmdbEnvironment::begin_writer() const {
  MDB_txn* writer = nullptr;
  int code = try_writer(writer);
  if (code == MDB_MAP_RESIZED) {
    adopt_larger_map();
    code = try_writer(writer);
  }
  check_lmdb(code, "mdb_txn_begin");
  return writer;
}

void LmdbEnvironment::transaction_ended() const {
  const std::lock_guard lock(mutex_);
  leave();
}

LmdbRead::LmdbRead(const LmdbEnvironment& environment)
    : environment_(environment), transaction_(environment.take_reader()) {}

LmdbRead::~LmdbRead() { environment_.give_back(transaction_); }

LmdbWrite::LmdbWrite(const LmdbEnvironment& environment)
    : environment_(environment), transaction_(environment.begin_writer()) {}

LmdbWrite::~LmdbWrite() {
  if (!transaction_) return;
  mdb_txn_abort(transaction_);
  environment_.transaction_ended();
}

void LmdbWrite::commit() {
  auto* transaction = transaction_;
  transaction_ = nullptr;  // freed by the call, whether it succeeds or not
  int code = mdb_txn_commit(transaction);
  environment_.transaction_ended();
  if (code == MDB_SUCCESS) return;
  const auto file = environment_.directory() / "data.mdb";
  if (code == EIO) code = cause_of_short_write(file);
  throw_lmdb("cannot write " + file.string(), code);
}

LmdbCursor::LmdbCursor(MDB_txn* transaction, MDB_dbi database) : cursor_(nullptr) {
  check_step(mdb_cursor_open(transaction, database, &cursor_), transaction, "mdb_cursor_open");
}

LmdbCursor::~LmdbCursor() { mdb_cursor_close(cursor_); }

bool LmdbCursor::move(MDB_cursor_op operation) {
  const int code = mdb_cursor_get(cursor_, &key_, &value_, operation);
  if (code == MDB_NOTFOUND) return false;
  check_step(code, mdb_cursor_txn(cursor_), "mdb_cursor_get");
  return true;
}

std::optional<std::string_view> LmdbCursor::find(std::string_view key) {
  key_ = to_val(key);
  if (!move(MDB_SET)) return std::nullopt;
  return value();
}

bool LmdbCursor::seek(std::string_view at_or_after) {
  if (at_or_after.empty()) return move(MDB_FIRST);  // LMDB rejects empty keys, also in searches
  key_ = to_val(at_or_after);
  return move(MDB_SET_RANGE);
}

}  // namespace pixledger::eventstore
