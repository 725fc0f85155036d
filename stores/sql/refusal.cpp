#include "stores/sql/refusal.h"

#include <Poco/Data/SQLite/SQLiteException.h>
#include <cerrno>
#include <fcntl.h>
#include <sqlite3.h>
#include <string>
#include <sys/types.h>
#include <system_error>

#include "base/platform/faults.h"
#include "eventstore/lmdb/lmdb_damage.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"

namespace pixledger::stores {
namespace {

namespace sqlite = Poco::Data::SQLite;

template <class Kind>
bool is_a(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

// The failed SQLite call behind the error, if this thread has seen one.
std::optional<RefusedWrite> refused_write_behind(const std::exception& error) {
  const bool may_be = is_a<sqlite::IOErrorException>(error) || is_a<sqlite::CantOpenDBFileException>(error) ||
                      is_a<sqlite::DatabaseFullException>(error);
  return may_be ? last_refused_write() : std::nullopt;
}

std::optional<std::string> refusal_by_sqlite(const std::exception& error) {
  if (const auto refused = refused_write_behind(error)) {
    if (auto refusal = describe_refusal(refused->code)) return refusal;
  }
  if (is_a<sqlite::NoMemoryException>(error)) return describe_refusal(ENOMEM);
  if (is_a<sqlite::DatabaseFullException>(error)) return describe_refusal(ENOSPC);
  if (is_a<sqlite::ReadOnlyException>(error)) return describe_refusal(EROFS);
  return std::nullopt;
}

thread_local std::optional<RefusedWrite> last_refused;
thread_local int refused_descriptor = -1;

template <class Function>
void replace(const char* name, Function replacement, Function& real) {
  auto* const vfs = sqlite3_vfs_find(nullptr);
  auto* const found = vfs->xGetSystemCall(vfs, name);
  if (!found) return;  // SQLite was built without this call
  real = reinterpret_cast<Function>(found);
  vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(replacement));
}

// The name of an open file; a deleted one has none.
std::filesystem::path name_of(int descriptor) {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), unknown);
}

// Records a failed call, without changing errno. SQLite's cleanup succeeds afterwards, so only a write to the
// same file clears the record.
template <class Result>
Result note_write(Result result, int descriptor) {
  if (result >= 0) {
    if (descriptor == refused_descriptor) last_refused.reset();
    return result;
  }
  const int code = errno;
  if (describe_refusal(code)) {
    last_refused = RefusedWrite{code, name_of(descriptor)};
    refused_descriptor = descriptor;
  }
  errno = code;
  return result;
}

using Open = int (*)(const char*, int, int);
using Write = ssize_t (*)(int, const void*, size_t);
using WriteAt = ssize_t (*)(int, const void*, size_t, off_t);
using Truncate = int (*)(int, off_t);

Open real_open;
Write real_write;
WriteAt real_pwrite;
WriteAt real_pwrite64;
Truncate real_truncate;

int watched_open(const char* file, int flags, int mode) {
  const int descriptor = real_open(file, flags, mode);
  if (descriptor >= 0) return descriptor;
  const int code = errno;
  if (describe_refusal(code)) last_refused = RefusedWrite{code, file};
  errno = code;
  return descriptor;
}

ssize_t watched_write(int descriptor, const void* bytes, size_t size) {
  return note_write(real_write(descriptor, bytes, size), descriptor);
}

ssize_t watched_pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  return note_write(real_pwrite(descriptor, bytes, size, at), descriptor);
}

ssize_t watched_pwrite64(int descriptor, const void* bytes, size_t size, off_t at) {
  return note_write(real_pwrite64(descriptor, bytes, size, at), descriptor);
}

int watched_truncate(int descriptor, off_t size) {
  const int result = real_truncate(descriptor, size);
  return result < 0 ? note_write(result, descriptor) : result;
}

}  // namespace

std::optional<std::string> refusal_of(const std::exception& error) {
  if (auto refusal = eventstore::refusal_by_system(error)) return refusal;
  return refusal_by_sqlite(error);
}

void rethrow_refusal(const std::exception& error) {
  if (const auto refused = refused_write_behind(error))
    throw std::system_error(refused->code, std::generic_category(), "cannot write " + refused->file.string());
}

bool is_damaged_file(const std::exception& error) {
  return is_a<DataDamaged>(error) || is_a<eventstore::LmdbDamaged>(error) ||
         is_a<eventstore::LmdbFileDamaged>(error) || is_a<sqlite::CorruptImageException>(error);
}

bool is_inaccessible_to_sqlite(const std::exception& error) {
  return is_a<sqlite::CantOpenDBFileException>(error) || is_a<sqlite::DBLockedException>(error) ||
         is_a<sqlite::TableLockedException>(error);
}

std::string text_of(const std::exception& error) {
  if (const auto refused = refused_write_behind(error))
    return "cannot write " + refused->file.string() + ": " + *describe_refusal(refused->code);
  const auto* by_poco = dynamic_cast<const Poco::Exception*>(&error);
  return by_poco ? by_poco->displayText() : eventstore::text_by_system(error);
}

void watch_sqlite_writes() {
  static const bool is_watched = [] {
    replace("open", watched_open, real_open);
    replace("write", watched_write, real_write);
    replace("pwrite", watched_pwrite, real_pwrite);
    replace("pwrite64", watched_pwrite64, real_pwrite64);
    replace("ftruncate", watched_truncate, real_truncate);
    return true;
  }();
  (void)is_watched;
}

std::optional<RefusedWrite> last_refused_write() { return last_refused; }

}  // namespace pixledger::stores
