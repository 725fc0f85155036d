#pragma once

#include <filesystem>
#include <lmdb.h>
#include <stdexcept>

namespace pixledger::eventstore {

// The file of an environment cannot be what LMDB wrote. what() names it.
class LmdbFileDamaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws LmdbFileDamaged when the data file ends before a page that is in use: reading that page would end
// the process with SIGBUS. LMDB never writes a page that was taken and freed in one write, so a sound file
// may end before the last page number, by pages that are all on the free list. `data_file` is open for
// reading.
void check_file_is_whole(MDB_env* environment, int data_file, const std::filesystem::path& name);

// Throws LmdbFileDamaged when the data file is there and empty: LMDB would take it for a new one.
void check_file_is_not_empty(const std::filesystem::path& name);

}  // namespace pixledger::eventstore
