#pragma once

#include <exception>
#include <filesystem>
#include <optional>
#include <string>

namespace pixledger::stores {

// Describes what the system refuses by that error, as describe_refusal() does, whichever library reports it.
// nullopt for errors of all other kinds, damage among them. To be called on the thread that the error was
// thrown on.
std::optional<std::string> refusal_of(const std::exception& error);

// Throws std::system_error, which another thread can understand, where a refused write explains an error of
// SQLite's; returns otherwise. To be called as above.
void rethrow_refusal(const std::exception& error);

// Whether only a file explains it that is not what was written to it.
bool is_damaged_file(const std::exception& error);

// The whole text of an error: what() of POCO's exceptions names their kind only. Of a refusal it names the
// file, the cause and what to do.
std::string text_of(const std::exception& error);

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
