#pragma once

#include <string_view>

#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::projections {

// Removes a key of a read model, if it is there. Not beside lmdb_put, because the ledger removes nothing.
inline void lmdb_remove(MDB_txn* transaction, MDB_dbi database, std::string_view key) {
  MDB_val key_val = eventstore::to_val(key);
  const int code = mdb_del(transaction, database, &key_val, nullptr);
  if (code != MDB_NOTFOUND) eventstore::check_lmdb(code, "mdb_del");
}

}  // namespace pixledger::projections
