#pragma once

#include <exception>
#include <filesystem>
#include <optional>
#include <string>

namespace pixledger::stores {

// Describes a system error behind the exception, as describe_refusal() does, whichever library reports it.
// Nullopt for other errors, including damage. Call it on the thread that threw.
std::optional<std::string> refusal_of(const std::exception& error);

// Throws std::system_error, which other threads can interpret, if a refused write caused this SQLite error;
// otherwise returns. Call it on the thread that threw.
void rethrow_refusal(const std::exception& error);

// True if only a damaged file explains the error.
bool is_damaged_file(const std::exception& error);

// True if SQLite could not open or lock the file.
bool is_inaccessible_to_sqlite(const std::exception& error);

// The full text of an error: what() of POCO's exceptions gives only their kind. For a system error: the file,
// the cause and what to do.
std::string text_of(const std::exception& error);

// A system call of SQLite's that failed.
struct RefusedWrite {
  int code = 0;  // such as ENOSPC
  std::filesystem::path file;
};

// Watches SQLite's calls that open, write or extend files in this process. SQLite itself reports only "disk
// I/O error", and keeps the system's error code only until its next call. Idempotent, thread-safe.
void watch_sqlite_writes();

// This thread's last failed call, until that file is writable again; nullopt if there was none.
std::optional<RefusedWrite> last_refused_write();

}  // namespace pixledger::stores
