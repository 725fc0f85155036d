#include "projections/storage/lmdb_damage.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace pixledger::projections {

bool is_damage(const eventstore::LmdbError& error) {
  // MDB_BAD_TXN is what a transaction gives that has met one of the others before.
  constexpr std::array kDamage{MDB_CORRUPTED,        MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_INCOMPATIBLE,
                               MDB_NOTFOUND,         MDB_CURSOR_FULL,   MDB_BAD_DBI, MDB_BAD_VALSIZE,
                               MDB_VERSION_MISMATCH, MDB_BAD_TXN,       ENOENT};
  return std::find(kDamage.begin(), kDamage.end(), error.code()) != kDamage.end();
}

}  // namespace pixledger::projections
