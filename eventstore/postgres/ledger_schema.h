#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/log/log_snapshot.h"
#include "eventstore/postgres/pg_client.h"

// The tables of a shared ledger, in the schema `pixledger` of a database of its own. docs/EVENT_FORMAT.md
// names every stored byte.
namespace pixledger::eventstore {

// The form of the tables that this release writes; every node refuses a newer one.
constexpr std::uint32_t kSharedFormatVersion = 1;

// Which ledger lies there, and the keys it is bound to.
struct SharedIdentity {
  LogIdentity ledger;
  std::optional<Digest> keyring{};
  std::vector<EndedEpoch> ended_epochs{};
};

// What lies there; nullopt where there is no ledger. Throws LogUnavailable, and std::runtime_error for one
// that a newer release wrote.
std::optional<SharedIdentity> find_shared_ledger(PgClient& client);

// Makes the tables, within the transaction that is begun, in a database that has none, and lets the servers'
// role read them, and add to them: it can neither change nor delete an event. Needs the right to make a
// schema there.
void create_shared_tables(PgClient& owner, const std::string& servers_role);

// As statements have a role's name, or another of its kind.
std::string quoted_name(const std::string& name);

}  // namespace pixledger::eventstore
