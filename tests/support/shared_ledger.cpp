#include "tests/support/shared_ledger.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/data_directory.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/publish.h"
#include "stores/databases/worker_tables.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/paths.h"
#include "tests/support/seeded_entropy.h"

namespace pixledger::tests {

using namespace eventstore;

namespace {

constexpr const char* kServersRole = "pixledger_servers";

LedgerUri cluster_uri() {
  std::ifstream file(built_file("postgres/uri"));
  std::string text;
  if (!std::getline(file, text))
    throw std::runtime_error("no PostgreSQL for the tests: run tests/postgres/cluster start BUILD/postgres");
  return LedgerUri::parse(text).value();
}

std::string fresh_name() {
  static std::atomic<int> count{0};
  return "test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
}

// The same server, for another role and database.
LedgerUri with(const LedgerUri& uri, const std::string& role, const std::string& database) {
  const auto host = uri.text.substr(uri.text.find('@'));
  return LedgerUri::parse("postgresql://" + role + host.substr(0, host.rfind('/') + 1) + database).value();
}

pqxx::result run_there(const LedgerUri& uri, const std::string& statements) {
  DeadlineWatch watch;
  PgClient client(uri, PgTimeouts{}, watch);
  return client.run(statements);
}

}  // namespace

SharedDatabase::SharedDatabase() : SharedDatabase(cluster_uri()) {}

SharedDatabase::SharedDatabase(LedgerUri cluster)
    : name_(fresh_name()),
      cluster_(std::move(cluster)),
      uri_(with(cluster_, kServersRole, name_)),
      owner_(with(cluster_, "postgres", name_)) {
  std::ostringstream role;
  role << "DO $$ BEGIN CREATE ROLE " << kServersRole
       << " LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$";
  run_there(cluster_, role.str());
  run_there(cluster_, "CREATE DATABASE " + name_);
}

SharedDatabase::~SharedDatabase() {
  try {
    run_there(cluster_, "DROP DATABASE " + name_ + " WITH (FORCE)");
  } catch (const std::exception&) {
    // The cluster's end removes it.
  }
}

pqxx::result SharedDatabase::run(const std::string& statements) const {
  return run_there(owner_, statements);
}

void SharedDatabase::lose_newest_commit() const {
  run("DELETE FROM pixledger.batch WHERE number = (SELECT batch FROM pixledger.head);"
      "DELETE FROM pixledger.event WHERE position > (SELECT max(last) FROM pixledger.batch);"
      "DELETE FROM pixledger.personal WHERE position > (SELECT max(last) FROM pixledger.batch);"
      "DELETE FROM pixledger.records WHERE batch > (SELECT max(number) FROM pixledger.batch);"
      "UPDATE pixledger.head SET (batch, position, time, id_counter, root) = (SELECT number, last, time, "
      "id_counter, root FROM pixledger.batch ORDER BY number DESC LIMIT 1)");
}

SharedNodeDirectory::SharedNodeDirectory(const SharedDatabase& database, std::string name)
    : node_{.uri = database.uri(), .name = std::move(name), .directory = directory_.path()} {}

void SharedNodeDirectory::make(const SharedDatabase& database) {
  static std::atomic<std::uint64_t> ledgers{0};
  SeededEntropy entropy(++ledgers);
  const DataDirectory data{directory_.path()};
  LmdbLog::create(data.ledger(), entropy, one_gigabyte());
  LmdbLog log(data.ledger(), one_gigabyte());
  DeadlineWatch watch;
  PgClient owner(database.owner(), PgTimeouts{}, watch);
  publish(owner, log, database.uri().user,
          [&](PgClient& client) { stores::create_worker_tables(client, database.uri().user); });
  mark_as_opened(node_);
}

SharedLog& SharedNodeDirectory::open() {
  log_.reset();
  auto options = one_gigabyte();
  options.look_every = std::chrono::hours(1);
  log_ = std::make_unique<SharedLog>(open_copy(node_, options), node_);
  return *log_;
}

}  // namespace pixledger::tests
