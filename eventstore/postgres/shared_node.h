#pragma once

#include <filesystem>
#include <string>

#include "eventstore/postgres/ledger_uri.h"
#include "eventstore/postgres/pg_session.h"

namespace pixledger::eventstore {

// What a node does so that nothing is lost, and nobody is told what is not so. Tests leave one out, and must
// see that.
struct NodeCare {
  bool commits_synchronously = true;
  bool writes_before_it_reads = true;
};

// A node of a shared ledger, as one of its programs.
struct SharedNode {
  LedgerUri uri;
  std::string name;
  std::filesystem::path directory;  // the node's data directory
  PgTimes times{};
  NodeCare care{};
  // Its session gives the directory this name in place of the one that PostgreSQL knows without waiting, as
  // when it is opened by a name that was asked for.
  bool may_rename = false;
};

}  // namespace pixledger::eventstore
