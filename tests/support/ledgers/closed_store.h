#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "eventstore/lmdb/lmdb_environment.h"
#include "tests/support/one_gigabyte.h"

namespace pixledger::tests {

// Returns a database of the store by its name; makes it if it is missing.
using DatabaseByName = std::function<MDB_dbi(const char* name)>;

// Changes a ledger, a copy or read models behind the program's back, durably and in one transaction. No
// process has the store open.
inline void change_closed_store(const std::filesystem::path& directory,
                                const eventstore::LmdbOptions& options,
                                const std::function<void(MDB_txn*, const DatabaseByName&)>& change) {
  const eventstore::LmdbEnvironment environment(directory, options);
  eventstore::LmdbWrite write(environment);
  change(write.get(), [&](const char* name) {
    MDB_dbi database = 0;
    eventstore::check_lmdb(mdb_dbi_open(write.get(), name, MDB_CREATE, &database), "mdb_dbi_open");
    return database;
  });
  write.commit();
}

// `ledger`: the directory of the files, not the data directory.
inline void change_closed_ledger(const std::filesystem::path& ledger,
                                 const std::function<void(MDB_txn*, const DatabaseByName&)>& change) {
  change_closed_store(ledger, one_gigabyte(), change);
}

// Changes one value, whose key must exist.
inline void change_closed_value(const std::filesystem::path& directory,
                                const eventstore::LmdbOptions& options, const char* database,
                                std::string_view key, const std::function<void(std::string&)>& change) {
  change_closed_store(directory, options, [&](MDB_txn* transaction, const DatabaseByName& databases) {
    const auto opened = databases(database);
    std::string value(eventstore::lmdb_get(transaction, opened, key).value());
    change(value);
    eventstore::lmdb_put(transaction, opened, key, value);
  });
}

}  // namespace pixledger::tests
