#pragma once

#include <filesystem>
#include <stdexcept>

namespace pixledger::eventstore {

// LMDB's lock file is missing or damaged while programs have the database open. The data are intact.
class LockFileUnusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline constexpr const char* kLockFileRemedy =
    "stop all programs that use this data directory, remove lock.mdb if it is there, and start them again: "
    "nothing is lost";

// Reserves the disk space of the lock file. LMDB writes it through a mapping, where a full disk would end the
// process with SIGBUS. Throws LmdbError.
void reserve_lock_file(const std::filesystem::path& directory, unsigned readers_max);

// Marks the open data file as in use for as long as `data_file` is open, for refuse_lost_lock_file().
void mark_in_use(int data_file);

// Whether a program has so marked the data file. Opens no lock file: closing it would end this process's own
// locks.
bool is_in_use(const std::filesystem::path& directory);

// Throws LockFileUnusable if the lock file is missing although a program has the data file open. A new lock
// file would let the caller write at the same time as that program.
void refuse_lost_lock_file(const std::filesystem::path& directory);

// Throws LockFileUnusable if LMDB has refused to open a database whose data file is sound and in use.
void refuse_damaged_lock_file(const std::filesystem::path& directory, int lmdb_code);

}  // namespace pixledger::eventstore
