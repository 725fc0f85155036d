#pragma once

#include <memory>
#include <string>

#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_log.h"
#include "tests/support/temporary_directory.h"

// A shared ledger in a real PostgreSQL with a synchronous standby, started by the test run
// (tests/postgres/cluster), and its nodes.
namespace pixledger::tests {

class SharedDatabase {
 public:
  SharedDatabase();
  // In another cluster: `cluster` is the URI of its superuser.
  explicit SharedDatabase(eventstore::LedgerUri cluster);
  ~SharedDatabase();
  SharedDatabase(const SharedDatabase&) = delete;
  SharedDatabase& operator=(const SharedDatabase&) = delete;

  // URIs of the servers' role, and of the role that may make a ledger there.
  const eventstore::LedgerUri& uri() const { return uri_; }
  const eventstore::LedgerUri& owner() const { return owner_; }
  // Runs statements as the superuser, on a client of its own.
  pqxx::result run(const std::string& statements) const;
  // Removes the newest commit, as restoring an older copy of the database would.
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

  // Makes the ledger, in the directory and in the database.
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
