#include "eventstore/postgres/store_session.h"

#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/session_start.h"

namespace pixledger::eventstore {
namespace {

// It changes nothing and is a write all the same, which returns when a standby has it and all before it.
constexpr PreparedStatement kConfirm{"confirm", "UPDATE node SET boot = boot WHERE name = $1 RETURNING name"};

}  // namespace

std::unique_ptr<PgSession> start_store_session(const SharedNode& node, DeadlineWatch& watch) {
  auto session = std::make_unique<PgSession>(node.uri, node.times, watch);
  check_settings(*session);
  if (!find_shared_ledger(*session))
    throw LedgerMismatch("there is no ledger in the database " + node.uri.database);
  session->run("BEGIN");
  if (session->run_prepared(kConfirm, node.name).empty())
    throw LogUnavailable("PostgreSQL does not know the node " + node.name + " yet");
  confirm(*session);
  return session;
}

}  // namespace pixledger::eventstore
