#pragma once

#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::tests {

// The programs' own map of a terabyte is more address space than ThreadSanitizer can always give.
inline eventstore::LmdbOptions one_gigabyte() {
  eventstore::LmdbOptions options;
  options.map_bytes = std::size_t{1} << 30;
  return options;
}

}  // namespace pixledger::tests
