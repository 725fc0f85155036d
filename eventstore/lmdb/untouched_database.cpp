#include "eventstore/lmdb/untouched_database.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "base/platform/lock_probe.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lock_file.h"
#include "eventstore/lmdb/map_refused.h"
#include "eventstore/lmdb/settled_reader.h"

namespace pixledger::eventstore {
namespace {

constexpr MDB_dbi kDatabasesMax = 32;

bool is_open_elsewhere(const std::filesystem::path& directory) {
  try {
    return is_locked(directory / "lock.mdb");
  } catch (const std::system_error&) {
    return false;  // nor could its locks be used
  }
}

}  // namespace

UntouchedDatabase::UntouchedDatabase(const std::filesystem::path& directory, std::size_t map_bytes)
    : has_locks_(is_open_elsewhere(directory)) {
  const auto file = directory / "data.mdb";
  check_file_is_not_empty(file);
  refuse_lost_lock_file(directory);
  int code = open(directory, map_bytes, has_locks_ ? 0 : MDB_NOLOCK);
  if (code == EACCES && has_locks_) {
    has_locks_ = false;
    code = open(directory, map_bytes, MDB_NOLOCK);
  }
  const int data_file = code == MDB_SUCCESS ? ::open(file.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  try {
    if (code != MDB_SUCCESS) throw_cannot_open(directory, map_bytes, code);
    if (data_file < 0) throw LmdbError("cannot open " + file.string(), errno);
    check_file_is_whole(environment_, data_file, file);
  } catch (...) {
    if (data_file >= 0) ::close(data_file);
    mdb_env_close(environment_);
    throw;
  }
  ::close(data_file);
}

UntouchedDatabase::~UntouchedDatabase() {
  if (transaction_) mdb_txn_abort(transaction_);
  mdb_env_close(environment_);
}

int UntouchedDatabase::open(const std::filesystem::path& directory, std::size_t map_bytes, unsigned flags) {
  if (environment_) mdb_env_close(environment_);
  environment_ = nullptr;
  check_lmdb(mdb_env_create(&environment_), "mdb_env_create");
  mdb_env_set_mapsize(environment_, map_bytes);
  mdb_env_set_maxdbs(environment_, kDatabasesMax);
  return mdb_env_open(environment_, directory.c_str(), flags | MDB_RDONLY | MDB_NOTLS, 0600);
}

MDB_txn* UntouchedDatabase::transaction() {
  if (!transaction_) check_lmdb(SettledReaders(environment_).take(transaction_), "mdb_txn_begin");
  return transaction_;
}

MDB_dbi UntouchedDatabase::database(const char* name) {
  MDB_dbi database = 0;
  check_lmdb(mdb_dbi_open(transaction(), name, 0, &database), "mdb_dbi_open");
  return database;
}

std::optional<std::string> UntouchedDatabase::find(const char* database_name, std::string_view key) {
  const auto value = lmdb_get(transaction(), database(database_name), key);
  return value ? std::optional(std::string(*value)) : std::nullopt;
}

}  // namespace pixledger::eventstore
