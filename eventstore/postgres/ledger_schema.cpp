#include "eventstore/postgres/ledger_schema.h"

#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {
namespace {

// `head` has one row, which the deciding node locks; its commit number defines the order. A batch's
// idempotency records stay while callers may repeat a command. Besides them only personal bytes are ever
// deleted.
constexpr const char* kTables = R"(
CREATE SCHEMA pixledger;
SET LOCAL search_path = pixledger;
CREATE TABLE ledger (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  format integer NOT NULL, ledger_id text NOT NULL, epoch bigint NOT NULL, keyring bytea,
  clock_acceptances bigint NOT NULL DEFAULT 0, clock_head_time bigint NOT NULL DEFAULT 0);
CREATE TABLE ended_epoch (epoch bigint PRIMARY KEY, last bigint NOT NULL, number integer NOT NULL);
CREATE TABLE head (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  batch bigint NOT NULL, position bigint NOT NULL, time bigint NOT NULL, id_counter bigint NOT NULL,
  root bytea NOT NULL) WITH (fillfactor = 10);
CREATE TABLE batch (
  number bigint PRIMARY KEY, last bigint NOT NULL, time bigint NOT NULL, id_counter bigint NOT NULL,
  root bytea NOT NULL);
CREATE TABLE records (batch bigint PRIMARY KEY, bytes bytea NOT NULL);
CREATE TABLE event (position bigint PRIMARY KEY, leaf bytea NOT NULL);
CREATE TABLE personal (position bigint PRIMARY KEY, bytes bytea NOT NULL);
CREATE TABLE node (
  name text PRIMARY KEY, directory text NOT NULL, boot text NOT NULL, position bigint NOT NULL,
  erased bigint NOT NULL DEFAULT 0, scrubs bigint NOT NULL DEFAULT 0, seen timestamptz NOT NULL);
CREATE TABLE turn (worker text PRIMARY KEY, node text NOT NULL, epoch bigint NOT NULL, until timestamptz NOT NULL);
)";

}  // namespace

std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::optional<SharedIdentity> find_shared_ledger(PgClient& client) {
  if (client.run("SELECT to_regclass('pixledger.ledger') IS NULL").at(0).at(0).as<bool>())
    return std::nullopt;
  const auto found = client.run("SELECT format, ledger_id, epoch, keyring FROM ledger");
  if (found.empty()) return std::nullopt;
  const auto row = found.at(0);
  const auto format = row.at(0).as<std::uint32_t>();
  if (format > kSharedFormatVersion)
    throw std::runtime_error("the shared ledger was written by a newer release (format " +
                             std::to_string(format) + ", this release knows " +
                             std::to_string(kSharedFormatVersion) + "): upgrade pixledger");
  SharedIdentity identity{.ledger = {row.at(1).as<std::string>(), row.at(2).as<std::uint32_t>()}};
  if (!row.at(3).is_null()) identity.keyring = digest_of(row.at(3));
  for (const auto& ended : client.run("SELECT epoch, last FROM ended_epoch ORDER BY number"))
    identity.ended_epochs.push_back(
        {ended.at(0).as<std::uint32_t>(), Position(ended.at(1).as<std::uint64_t>())});
  return identity;
}

void create_shared_tables(PgClient& owner, const std::string& servers_role) {
  owner.run(kTables);
  const auto grant = [&, role = quoted_name(servers_role)](const std::string& right,
                                                           const std::string& to_what) {
    owner.run("GRANT " + right + " ON " + to_what + " TO " + role);
  };
  grant("USAGE", "SCHEMA pixledger");
  grant("SELECT", "ALL TABLES IN SCHEMA pixledger");
  grant("INSERT", "batch, records, event, personal, node, turn");
  grant("UPDATE", "head, node, turn");
  grant("UPDATE (clock_acceptances, clock_head_time)", "ledger");
  // DELETE on node: a renamed node removes its former row. It may write the rows of nodes anyway.
  grant("DELETE", "records, personal, node");
}

}  // namespace pixledger::eventstore
