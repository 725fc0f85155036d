#pragma once

#include <filesystem>
#include <string>

#include "eventstore/net/ledger_uri.h"
#include "eventstore/postgres/pg_session.h"

namespace pixledger::eventstore {

// A node of a shared ledger, as one of its programs.
struct SharedNode {
  LedgerUri uri;
  std::string name;
  std::filesystem::path directory;  // the node's data directory
  PgTimes times{};
};

}  // namespace pixledger::eventstore
