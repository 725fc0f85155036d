#pragma once

#include <filesystem>
#include <lmdb.h>
#include <stdexcept>

namespace pixledger::eventstore {

// An environment's file is not as LMDB wrote it. what() names it.
class LmdbFileDamaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws LmdbFileDamaged if the data file ends before a page in use: reading that page would end the process
// with SIGBUS. LMDB never writes a page that was taken and freed in one write. So a sound file may lack pages
// at its end, if all of them are on the free list. `data_file` is open for reading.
void check_file_is_whole(MDB_env* environment, int data_file, const std::filesystem::path& name);

// Throws LmdbFileDamaged if the data file exists and is empty: LMDB would initialize it as a new one.
void check_file_is_not_empty(const std::filesystem::path& name);

}  // namespace pixledger::eventstore
