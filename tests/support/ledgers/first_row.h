#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/support/ledgers/closed_store.h"

namespace pixledger::tests {

// Changes the value of a closed store's table's first row, which must exist.
inline void change_first_row(const std::filesystem::path& directory, const eventstore::LmdbOptions& options,
                             const char* table, const std::function<void(std::string&)>& change) {
  change_closed_store(directory, options, [&](MDB_txn* transaction, const DatabaseByName& databases) {
    const auto opened = databases(table);
    std::string key;
    std::string value;
    {
      eventstore::LmdbCursor cursor(transaction, opened);
      REQUIRE(cursor.move(MDB_FIRST));
      key = cursor.key();
      value = cursor.value();
    }
    change(value);
    eventstore::lmdb_put(transaction, opened, key, value);
  });
}

}  // namespace pixledger::tests
