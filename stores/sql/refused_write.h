#pragma once

#include <filesystem>
#include <optional>

namespace pixledger::stores {

// A system call of SQLite's that the kernel refused.
struct RefusedWrite {
  int code = 0;  // such as ENOSPC
  std::filesystem::path file;
};

// From now on SQLite's calls that open, write or lengthen files are watched in this process. SQLite itself
// reports "disk I/O error", and knows the system's code only until its next call. Idempotent, thread-safe.
void watch_sqlite_writes();

// The last refused call of this thread, until that file can be written again; nullopt if there is none.
std::optional<RefusedWrite> last_refused_write();

}  // namespace pixledger::stores
