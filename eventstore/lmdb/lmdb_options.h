#pragma once

#include <chrono>
#include <cstddef>

namespace pixledger::eventstore {

// How an LMDB environment is opened; every program takes the size of the maps from its command line.
struct LmdbOptions {
  std::size_t map_bytes = std::size_t{1} << 40;  // address space, not disk
  unsigned databases_max = 32;
  unsigned readers_max = 1024;
  bool sync = true;  // false only for databases that can be built again
  // Changes nothing. Where this process may not write the files, as on a read-only mount or in a copy that is
  // somebody else's, it reads without LMDB's locks; see LmdbEnvironment.
  bool read_only = false;
  // Who waits for the log looks so often although nobody woke it: whoever was to do it may have been killed.
  std::chrono::milliseconds look_every{1000};
};

// The same, of databases that can be built again.
inline LmdbOptions without_sync(LmdbOptions options) {
  options.sync = false;
  return options;
}

}  // namespace pixledger::eventstore
