#include "tests/support/ledgers/store_engines.h"

#include "eventstore/postgres/session_start.h"
#include "eventstore/process/node_file.h"
#include "projections/storage/sqlite_database.h"
#include "projections/storage/sqlite_session.h"
#include "projections/stores/account_store.h"

namespace pixledger::tests {

std::filesystem::path OnFiles::made(const std::filesystem::path& directory) {
  for (const auto& database : projections::kWorkerDatabases)
    std::filesystem::create_directories(directory / database.worker);
  return directory;
}

void OnFiles::change(const projections::WorkerDatabase& database, const std::string& statement) const {
  projections::SqliteDatabase(projections::open_sqlite(file(database), "rw")).run(statement);
}

std::unique_ptr<projections::AccountRepository> OnFiles::accounts() const {
  return projections::open_accounts(data());
}

void OnFiles::change_accounts(const std::string& statement) const {
  projections::SqliteDatabase(projections::open_sqlite(data().accounts() / projections::kAccountsFile, "rw"))
      .run(statement);
}

// The node's row is there once it has opened the ledger.
OnTables::OnTables() {
  node_.make(database_);
  const eventstore::DataDirectory data{node().directory};
  eventstore::write_node_file(data, {node().uri, eventstore::NodeName::parse(node().name).value()});
  eventstore::DeadlineWatch watch;
  eventstore::start_session(node(), nullptr, watch);
}

projections::WorkerStores OnTables::stores() const {
  return projections::WorkerStores::of({node().directory});
}

std::unique_ptr<projections::AccountRepository> OnTables::accounts() const {
  return projections::open_accounts({node().directory});
}

void OnTables::change(const projections::WorkerDatabase& database, const std::string& statement) const {
  database_.run("SET search_path = " + std::string(database.schema) + "; " + statement);
}

}  // namespace pixledger::tests
