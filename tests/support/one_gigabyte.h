#pragma once

#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::tests {

// ThreadSanitizer cannot always reserve the terabyte of address space that the programs map.
inline eventstore::LmdbOptions one_gigabyte() {
  eventstore::LmdbOptions options;
  options.map_bytes = std::size_t{1} << 30;
  return options;
}

}  // namespace pixledger::tests
