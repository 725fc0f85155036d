#pragma once

#include <string>
#include <vector>

#include "eventstore/log/cluster.h"
#include "eventstore/postgres/ledger_uri.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {

// By name.
std::vector<NodeState> read_nodes(PgClient& client);

// See Cluster.
std::string excess_rights(PgClient& client);

// What keeps commits of the client's role from coming back, where it is that no standby answers: each goes
// on waiting when its node has given it up, and then whoever needs the same rows waits for it and sees no
// more than that. Empty where none waits for longer than a moment.
std::string missing_standby(PgClient& client);

// Takes seconds if a host does not answer. Does not throw.
Redundancy look_at_redundancy(const LedgerUri& uri);

// What a shared ledger's database tells of itself, its nodes and their workers.
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
  std::string excess_rights;        // as Cluster has it
  std::string damage;               // where the next commit would go
  std::vector<LostHistory> losses;  // that no operator has accepted
};
// Reads, and writes nothing. Throws LogUnavailable, PostgresUnsafe, and LedgerMismatch where there is no
// ledger.
ClusterLook look_at_cluster(const LedgerUri& uri);

}  // namespace pixledger::eventstore
