#include "tests/support/ledgers/database_engines.h"

#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/node_file.h"
#include "stores/databases/account_database.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::tests {

std::filesystem::path OnFiles::made(const std::filesystem::path& directory) {
  for (const auto& database : stores::kWorkerDatabases)
    std::filesystem::create_directories(directory / database.worker);
  return directory;
}

void OnFiles::change(const stores::WorkerDatabase& database, const std::string& statement) const {
  stores::open_sqlite(file(database), "rw")->run(statement);
}

std::unique_ptr<stores::AccountRepository> OnFiles::accounts() const { return stores::open_accounts(data()); }

void OnFiles::change_accounts(const std::string& statement) const {
  stores::open_sqlite(data().accounts() / stores::kAccountsFile, "rw")->run(statement);
}

// The node's row exists once it has opened the ledger.
OnTables::OnTables() {
  node_.make(database_);
  const DataDirectory data{node().directory};
  eventstore::write_node_file(data, {node().uri, eventstore::NodeName::parse(node().name).value()});
  DeadlineWatch watch;
  eventstore::start_client(node(), nullptr, watch);
}

stores::WorkerDatabases OnTables::databases() const {
  return stores::WorkerDatabases::of({node().directory});
}

std::unique_ptr<stores::AccountRepository> OnTables::accounts() const {
  return stores::open_accounts({node().directory});
}

void OnTables::change(const stores::WorkerDatabase& database, const std::string& statement) const {
  database_.run("SET search_path = " + std::string(database.schema) + "; " + statement);
}

}  // namespace pixledger::tests
