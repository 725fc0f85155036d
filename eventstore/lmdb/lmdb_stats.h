#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::eventstore {

// Figures of an environment at about one moment; they are not from one snapshot.
struct LmdbStats {
  std::uint64_t map_bytes = 0;               // address space: the most it can hold
  std::uint64_t used_bytes = 0;              // of that, pages that were ever used; freed ones are reused
  std::uint64_t file_bytes = 0;              // of the data file
  std::uint64_t reader_slots = 0;            // taken slots of the reader table, by all processes
  std::uint64_t readers = 0;                 // open snapshots
  std::uint64_t last_transaction = 0;        // the newest committed one
  std::optional<std::uint64_t> oldest_read;  // transaction whose snapshot the oldest reader holds
  std::uint64_t oldest_reader = 0;           // its process
};

// The name of a process's program, for people; "unknown" if the system has no name.
std::string program_of(std::uint64_t pid);

// Throws LmdbError or std::filesystem::filesystem_error.
LmdbStats lmdb_stats(const LmdbEnvironment& environment);

}  // namespace pixledger::eventstore
