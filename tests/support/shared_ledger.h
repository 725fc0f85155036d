#pragma once

#include <memory>
#include <string>

#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_log.h"
#include "tests/support/temporary_directory.h"

// A shared ledger in a real PostgreSQL with a synchronous standby, which the test run has started
// (tests/postgres/cluster), and nodes of it.
namespace pixledger::tests {

class SharedDatabase {
 public:
  SharedDatabase();
  // In another one: `cluster` is the URI of its superuser.
  explicit SharedDatabase(eventstore::LedgerUri cluster);
  ~SharedDatabase();
  SharedDatabase(const SharedDatabase&) = delete;
  SharedDatabase& operator=(const SharedDatabase&) = delete;

  // Of the servers' role, and of the one that may make a ledger there.
  const eventstore::LedgerUri& uri() const { return uri_; }
  const eventstore::LedgerUri& owner() const { return owner_; }
  // Its own client, as the superuser.
  pqxx::result run(const std::string& statements) const;
  // As a database of before that was put back has lost it.
  void lose_newest_commit() const;

 private:
  const std::string name_;
  const eventstore::LedgerUri cluster_;
  const eventstore::LedgerUri uri_;
  const eventstore::LedgerUri owner_;
};

// A node's data directory, and the log on it while it is open.
class SharedNodeDirectory {
 public:
  SharedNodeDirectory(const SharedDatabase& database, std::string name);

  // Makes the ledger, in the database as well.
  void make(const SharedDatabase& database);
  eventstore::SharedLog& open();
  void close() { log_.reset(); }
  eventstore::SharedLog& log() { return *log_; }
  const eventstore::SharedNode& node() const { return node_; }

 private:
  TemporaryDirectory directory_;
  eventstore::SharedNode node_;
  std::unique_ptr<eventstore::SharedLog> log_;
};

}  // namespace pixledger::tests
