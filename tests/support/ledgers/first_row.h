#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::tests {

// Changes the value of a table's first row, which must exist, behind the program's back.
inline void change_first_row(const std::filesystem::path& directory, const eventstore::LmdbOptions& options,
                             const char* table, const std::function<void(std::string&)>& change) {
  eventstore::LmdbEnvironment environment(directory, options);
  const auto opened = environment.open_database(table);
  eventstore::LmdbWrite write(environment);
  std::string key;
  std::string value;
  {
    eventstore::LmdbCursor cursor(write.get(), opened);
    REQUIRE(cursor.move(MDB_FIRST));
    key = cursor.key();
    value = cursor.value();
  }
  change(value);
  eventstore::lmdb_put(write.get(), opened, key, value);
  write.commit();
}

}  // namespace pixledger::tests
