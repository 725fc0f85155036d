#include "eventstore/lmdb/lock_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "base/platform/descriptor.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kLockFile = "lock.mdb";
constexpr const char* kDataFile = "data.mdb";
// Both meta pages begin with this after their headers (mdb.c, MDB_MAGIC).
constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr off_t kMagicAt = 16;

bool is_in_use(const Descriptor& data_file) {
  auto lock = lock_of(F_WRLCK);
  return ::fcntl(data_file.number(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool is_lmdb(const Descriptor& data_file) {
  std::uint32_t magic = 0;
  return ::pread(data_file.number(), &magic, sizeof magic, kMagicAt) == sizeof magic && magic == kMagic;
}

}  // namespace

void reserve_lock_file(const std::filesystem::path& directory, unsigned readers_max) {
  constexpr off_t kBytesPerReader = 64;  // a cache line
  constexpr off_t kHeadBytes = 4096;     // more than precedes the readers
  const Descriptor file(directory / kLockFile, O_RDWR | O_CREAT);
  if (!file) return;  // LMDB reports it
  if (::fallocate(file.number(), FALLOC_FL_KEEP_SIZE, 0, kHeadBytes + kBytesPerReader * readers_max) == 0)
    return;
  const int code = errno;
  if (code == ENOSPC || code == EDQUOT)
    throw LmdbError("cannot write " + (directory / kLockFile).string(), code);
}

void mark_in_use(int data_file) {
  auto lock = lock_of(F_RDLCK);
  ::fcntl(data_file, F_OFD_SETLK, &lock);  // on a file system without such locks there is no mark
}

bool is_in_use(const std::filesystem::path& directory) {
  const Descriptor data_file(directory / kDataFile, O_RDONLY);
  return data_file && is_in_use(data_file);
}

void refuse_lost_lock_file(const std::filesystem::path& directory) {
  if (std::filesystem::exists(directory / kLockFile)) return;
  if (is_in_use(directory))
    throw LockFileUnusable((directory / kLockFile).string() +
                           " is missing while programs have the database open: " + kLockFileRemedy);
}

void refuse_damaged_lock_file(const std::filesystem::path& directory, int lmdb_code) {
  if (lmdb_code != MDB_INVALID && lmdb_code != MDB_VERSION_MISMATCH) return;
  const Descriptor data_file(directory / kDataFile, O_RDONLY);
  if (data_file && is_lmdb(data_file) && is_in_use(data_file))
    throw LockFileUnusable((directory / kLockFile).string() +
                           " is damaged while programs have the database open: " + kLockFileRemedy);
}

}  // namespace pixledger::eventstore
