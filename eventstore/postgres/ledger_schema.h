#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/log/log_snapshot.h"
#include "eventstore/postgres/pg_client.h"

// The tables of a shared ledger, in the schema `pixledger` of a database of its own.
// docs/reference/event-format.md names every stored byte.
namespace pixledger::eventstore {

// The format of the tables that this release writes; every node refuses a newer one.
constexpr std::uint32_t kSharedFormatVersion = 1;

// The ledger in the database, and the keys that it is bound to.
struct SharedIdentity {
  LogIdentity ledger;
  std::optional<Digest> keyring{};
  std::vector<EndedEpoch> ended_epochs{};
};

// Returns the database's ledger, or nullopt. Throws LogUnavailable, and std::runtime_error if a newer release
// wrote it.
std::optional<SharedIdentity> find_shared_ledger(PgClient& client);

// Makes the tables, within the caller's transaction, in a database without a ledger. Lets the servers' role
// read them and add to them, but neither change nor delete an event. Needs the right to create a schema
// there.
void create_shared_tables(PgClient& owner, const std::string& servers_role);

// Quotes the name of a role or another identifier for a statement.
std::string quoted_name(const std::string& name);

}  // namespace pixledger::eventstore
