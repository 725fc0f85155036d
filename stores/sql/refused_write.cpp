#include "stores/sql/refused_write.h"

#include <cerrno>
#include <fcntl.h>
#include <sqlite3.h>
#include <string>
#include <sys/types.h>

#include "base/platform/system_refusal.h"

namespace pixledger::stores {
namespace {

thread_local std::optional<RefusedWrite> refused;
thread_local int refused_descriptor = -1;

template <class Function>
void replace(const char* name, Function replacement, Function& real) {
  auto* const vfs = sqlite3_vfs_find(nullptr);
  auto* const found = vfs->xGetSystemCall(vfs, name);
  if (!found) return;  // SQLite was built without it
  real = reinterpret_cast<Function>(found);
  vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(replacement));
}

// The name of an open file; a removed one has none of its own.
std::filesystem::path name_of(int descriptor) {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), unknown);
}

// Notes a refused call, and leaves errno to SQLite. What SQLite does to clean up succeeds, so that only a
// write to the same file takes the note back.
template <class Result>
Result note_write(Result result, int descriptor) {
  if (result >= 0) {
    if (descriptor == refused_descriptor) refused.reset();
    return result;
  }
  const int code = errno;
  if (describe_refusal(code)) {
    refused = RefusedWrite{code, name_of(descriptor)};
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
  if (describe_refusal(code)) refused = RefusedWrite{code, file};
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

std::optional<RefusedWrite> last_refused_write() { return refused; }

}  // namespace pixledger::stores
