#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/checkpoints.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_log_recovery.h"
#include "tests/support/one_gigabyte.h"

namespace pixledger::tests {

// Returns a database of the store by its name; makes it if it is missing.
using DatabaseByName = std::function<MDB_dbi(const char* name)>;

// The ledger that the whole slot of the file names; it stands behind the five numbers and before the meta
// page.
inline eventstore::LogIdentity owner_of_checkpoint(const std::filesystem::path& directory) {
  auto slot = read_if_there(directory / "checkpoint").value();
  if (!slot.starts_with("PXLC")) slot.erase(0, slot.size() / 2);
  const auto id_bytes = from_big_endian(slot.substr(4, 4));
  constexpr std::size_t kEpochAt = 12 + 5 * 8;
  return {slot.substr(kEpochAt + 8, id_bytes),
          static_cast<std::uint32_t>(from_big_endian(slot.substr(kEpochAt, 4)))};
}

// Changes a ledger, a copy or read models behind the program's back, durably and in one transaction: what
// goes back to a checkpoint finds the change there. No process has the store open.
inline void change_closed_store(const std::filesystem::path& directory,
                                const eventstore::LmdbOptions& options,
                                const std::function<void(MDB_txn*, const DatabaseByName&)>& change) {
  const eventstore::LmdbOpening opening(directory, options);
  const eventstore::LmdbEnvironment environment(directory, opening.options);
  {
    eventstore::LmdbWrite write(environment);
    change(write.get(), [&](const char* name) {
      MDB_dbi database = 0;
      eventstore::check_lmdb(mdb_dbi_open(write.get(), name, MDB_CREATE, &database), "mdb_dbi_open");
      return database;
    });
    write.commit();
  }
  if (!opening.checkpoint || opening.checkpoint->meta.empty()) return;
  eventstore::Checkpoints checkpoints(environment, owner_of_checkpoint(directory), [&](MDB_txn*) {
    return eventstore::Checkpoints::Content{opening.checkpoint->number, opening.checkpoint->place};
  });
  eventstore::make_checkpoint(environment, checkpoints);
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
