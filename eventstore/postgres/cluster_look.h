#pragma once

#include <string>
#include <vector>

#include "eventstore/log/cluster.h"
#include "eventstore/postgres/ledger_uri.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {

// Sorted by name.
std::vector<NodeState> read_nodes(PgClient& client);

// See Cluster.
std::string excess_rights(PgClient& client);

// Describes the missing standby if it blocks commits of the client's role. Such a commit waits even after its
// node has given up, and clients that need the same rows wait for it without seeing why. Empty if no commit
// waits for longer than a moment.
std::string missing_standby(PgClient& client);

// Takes seconds if a host does not answer. Does not throw.
Redundancy look_at_redundancy(const LedgerUri& uri);

// The state of a shared ledger's database, its nodes and their workers.
struct ClusterLook {
  struct Lease {
    std::string worker;  // the program's name
    std::string node;    // that has it, or had it last
    bool is_held = false;
  };

  LogIdentity ledger;
  Position head;
  Timestamp time;        // of the primary's clock
  std::string standbys;  // synchronous_standby_names
  std::string missing_standby;
  std::vector<NodeState> nodes;
  std::vector<Lease> leases;
  std::string excess_rights;        // see Cluster
  std::string damage;               // where the next commit would go
  std::vector<LostHistory> losses;  // that no operator has accepted
};
// Only reads. Throws LogUnavailable, PostgresUnsafe, and LedgerMismatch if there is no ledger.
ClusterLook look_at_cluster(const LedgerUri& uri);

}  // namespace pixledger::eventstore
