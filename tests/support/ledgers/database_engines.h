#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "stores/accounts/account_repository.h"
#include "stores/databases/worker_databases.h"
#include "stores/sql/sql_database.h"
#include "tests/support/shared_ledger.h"
#include "tests/support/temporary_directory.h"

// The engines of worker databases: files and PostgreSQL. Their common tests are TEMPLATE_TEST_CASEs.
namespace pixledger::tests {

class OnFiles {
 public:
  stores::WorkerDatabases databases() const { return {workers_}; }
  // Opened as by their worker.
  std::unique_ptr<stores::DeliveryRepository> deliveries() const { return databases().deliveries({}); }
  std::unique_ptr<stores::EmailRepository> emails() const { return databases().emails({}); }
  std::unique_ptr<stores::AccountRepository> accounts() const;
  // Changes a database behind its worker's back.
  void change(const stores::WorkerDatabase& database, const std::string& statement) const;

  // The directory with the accounts.
  DataDirectory data() const { return {directory_.path()}; }
  void change_accounts(const std::string& statement) const;

  std::filesystem::path file(const stores::WorkerDatabase& database) const { return database.in(workers_); }

 private:
  const TemporaryDirectory directory_;
  const std::filesystem::path workers_ = made(directory_.path());

  static std::filesystem::path made(const std::filesystem::path& directory);
};

class OnTables {
 public:
  OnTables();

  stores::WorkerDatabases databases() const;
  std::unique_ptr<stores::DeliveryRepository> deliveries() const { return databases().deliveries({}); }
  std::unique_ptr<stores::EmailRepository> emails() const { return databases().emails({}); }
  std::unique_ptr<stores::AccountRepository> accounts() const;
  void change(const stores::WorkerDatabase& database, const std::string& statement) const;

  // The directory of the node.
  DataDirectory data() const { return {node().directory}; }
  const SharedDatabase& database() const { return database_; }
  const eventstore::SharedNode& node() const { return node_.node(); }

 private:
  const SharedDatabase database_;
  SharedNodeDirectory node_{database_, "n1"};
};

}  // namespace pixledger::tests
