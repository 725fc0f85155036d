#include "stores/deliveries/delivery_schema.h"

#include <array>
#include <stdexcept>
#include <string>

#include "stores/deliveries/delivery_rows.h"
#include "stores/sql/cursor_table.h"

namespace pixledger::stores {
namespace {

constexpr int kDeliverySchemaVersion = 5;

// The first attempt sets `first_failed_at`; it has failed if the delivery is still pending afterwards.
constexpr std::array<const char*, 7> kVersion1{
    "CREATE TABLE deliveries (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, channel TEXT NOT NULL, "
    "project TEXT NOT NULL, charge TEXT NOT NULL, environment INTEGER NOT NULL, event INTEGER NOT NULL, "
    "version INTEGER NOT NULL, position INTEGER NOT NULL, sequence INTEGER NOT NULL, created_at INTEGER NOT "
    "NULL, "
    "status INTEGER NOT NULL, attempts INTEGER NOT NULL, next_attempt_at INTEGER, first_failed_at INTEGER)",
    "CREATE INDEX deliveries_due ON deliveries (channel, next_attempt_at) "
    "WHERE status = 0 AND next_attempt_at IS NOT NULL",
    "CREATE INDEX deliveries_of_channel ON deliveries (channel, position)",
    "CREATE INDEX deliveries_of_charge ON deliveries (channel, charge, position)",
    "CREATE TABLE attempts (delivery INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, "
    "http_status INTEGER NOT NULL, latency_ms INTEGER NOT NULL, error TEXT NOT NULL, "
    "PRIMARY KEY (delivery, number)) WITHOUT ROWID",
    kMakeCursorTable,
    "PRAGMA user_version = 1"};

// A channel's test has charge '' and event -1. Only pending deliveries are looked up by lane.
constexpr std::array<const char*, 9> kVersion2{
    "ALTER TABLE deliveries ADD COLUMN round_start INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE attempts ADD COLUMN answer TEXT NOT NULL DEFAULT ''",
    "DROP INDEX deliveries_of_charge",
    "CREATE INDEX deliveries_lane ON deliveries (channel, charge, position) WHERE status = 0",
    "CREATE INDEX deliveries_given_up ON deliveries (channel, position) WHERE status > 1",
    "CREATE TABLE channel_health (channel TEXT PRIMARY KEY, consecutive_failures INTEGER NOT NULL, "
    "last_success_at INTEGER, last_failure_at INTEGER, failing_since INTEGER) WITHOUT ROWID",
    "CREATE TABLE recoveries (requested_at INTEGER PRIMARY KEY, channel TEXT NOT NULL, since INTEGER NOT "
    "NULL, until INTEGER NOT NULL, done_up_to INTEGER)",
    "CREATE TABLE retention (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), "
    "pruned_before INTEGER NOT NULL)",
    "PRAGMA user_version = 2"};

// Answers about these charges are not stored.
constexpr std::array<const char*, 2> kVersion3{
    "CREATE TABLE erased_charges (charge TEXT PRIMARY KEY) WITHOUT ROWID", "PRAGMA user_version = 3"};

// One recovery per channel. The project of running ones is unknown: each channel counts as its own project.
constexpr std::array<const char*, 5> kVersion4{
    "CREATE TABLE recoveries_of_channels (channel TEXT PRIMARY KEY, project TEXT NOT NULL, "
    "requested_at INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, done_up_to INTEGER) "
    "WITHOUT ROWID",
    "INSERT INTO recoveries_of_channels SELECT channel, channel, MAX(requested_at), MIN(since), "
    "MAX(until), NULL FROM recoveries GROUP BY channel",
    "DROP TABLE recoveries", "ALTER TABLE recoveries_of_channels RENAME TO recoveries",
    "PRAGMA user_version = 4"};

// Retention deletes attempts; these counts only grow.
constexpr std::array<const char*, 2> kVersion5{
    "CREATE TABLE attempt_totals (outcome TEXT PRIMARY KEY, attempts INTEGER NOT NULL) WITHOUT ROWID",
    "PRAGMA user_version = 5"};

template <std::size_t Count>
void run(SqlDatabase& database, const std::array<const char*, Count>& statements) {
  SqlTransaction transaction(database);
  for (const auto* statement : statements) database.run(statement);
  transaction.commit();
}

int delivery_version_of(SqlDatabase& database) {
  const auto version = static_cast<int>(database.integer("PRAGMA user_version"));
  if (version > kDeliverySchemaVersion) throw std::runtime_error("a newer release wrote the deliveries");
  return version;
}

// Loops over the lanes with an index lookup each; CROSS JOIN fixes this order in SQLite.
std::vector<SqlRow> select_lanes_in_file(SqlDatabase& database,
                                         const std::vector<std::pair<std::string, std::string>>& lanes) {
  std::vector<SqlValues> keys;
  keys.reserve(lanes.size());
  for (const auto& [channel, charge] : lanes) keys.push_back({channel, charge});
  database.run_each("INSERT OR IGNORE INTO touched_lanes VALUES ($1, $2)", keys);
  auto found = database.run("SELECT number, " + attempts_of_round("d.") +
                            ", d.channel, d.charge, first_failed_at, next_attempt_at "
                            "FROM touched_lanes AS l CROSS JOIN deliveries AS d "
                            "ON d.channel = l.channel AND d.charge = l.charge AND d.status = 0 "
                            "ORDER BY l.channel, l.charge, d.position, d.number");
  database.run("DELETE FROM touched_lanes");
  return std::move(found.rows);
}

// In PostgreSQL, OFFSET 0 is an optimisation fence. Ids contain no comma.
std::vector<SqlRow> select_lanes_in_tables(SqlDatabase& database,
                                           const std::vector<std::pair<std::string, std::string>>& lanes) {
  std::string channels, charges;
  for (const auto& [channel, charge] : lanes) {
    channels += (channels.empty() ? "" : ",") + channel;
    charges += (charges.empty() ? "" : ",") + charge;
  }
  auto found = database.run(
      "SELECT d.number, " + attempts_of_round("d.") +
          ", d.channel, d.charge, d.first_failed_at, "
          "d.next_attempt_at "
          "FROM unnest(string_to_array($1, ','), string_to_array($2, ',')) AS l (channel, charge) "
          "CROSS JOIN LATERAL (SELECT * FROM deliveries AS each WHERE each.channel = l.channel "
          "AND each.charge = l.charge AND each.status = 0 OFFSET 0) AS d "
          "ORDER BY d.channel, d.charge, d.position, d.number",
      {channels, charges});
  return std::move(found.rows);
}

}  // namespace

const char* const kSharedDeliveryTables = R"(
CREATE TABLE deliveries (
  number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE, channel text COLLATE "C" NOT NULL, project text COLLATE "C" NOT NULL,
  charge text COLLATE "C" NOT NULL, environment bigint NOT NULL, event bigint NOT NULL, version bigint NOT NULL,
  position bigint NOT NULL, sequence bigint NOT NULL, created_at bigint NOT NULL, status bigint NOT NULL,
  attempts bigint NOT NULL, next_attempt_at bigint, first_failed_at bigint,
  round_start bigint NOT NULL DEFAULT 0);
CREATE INDEX deliveries_due ON deliveries (channel, next_attempt_at, number)
  WHERE status = 0 AND next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_of_channel ON deliveries (channel, position);
CREATE INDEX deliveries_lane ON deliveries (channel, charge, position) WHERE status = 0;
CREATE INDEX deliveries_given_up ON deliveries (channel, position) WHERE status > 1;
CREATE INDEX deliveries_of_charge ON deliveries (charge);
CREATE INDEX deliveries_pending ON deliveries (number) WHERE status = 0;
CREATE TABLE attempts (
  delivery bigint, number bigint, at bigint NOT NULL, http_status bigint NOT NULL, latency_ms bigint NOT NULL,
  error text NOT NULL, answer text NOT NULL DEFAULT '', PRIMARY KEY (delivery, number));
CREATE TABLE cursor (only_row bigint PRIMARY KEY CHECK (only_row = 1), text text NOT NULL);
CREATE TABLE channel_health (
  channel text COLLATE "C" PRIMARY KEY, consecutive_failures bigint NOT NULL, last_success_at bigint,
  last_failure_at bigint, failing_since bigint);
CREATE TABLE recoveries (
  channel text COLLATE "C" PRIMARY KEY, project text COLLATE "C" NOT NULL, requested_at bigint NOT NULL,
  since bigint NOT NULL, until bigint NOT NULL, done_up_to bigint);
CREATE TABLE retention (only_row bigint PRIMARY KEY CHECK (only_row = 1), pruned_before bigint NOT NULL);
CREATE TABLE erased_charges (charge text COLLATE "C" PRIMARY KEY);
CREATE TABLE attempt_totals (outcome text COLLATE "C" PRIMARY KEY, attempts bigint NOT NULL);
)";

bool are_delivery_tables_current(SqlDatabase& database) {
  return database.is_shared() || delivery_version_of(database) == kDeliverySchemaVersion;
}

void make_delivery_tables(SqlDatabase& database) {
  const int version = delivery_version_of(database);
  if (version < 1) run(database, kVersion1);
  if (version < 2) run(database, kVersion2);
  if (version < 3) run(database, kVersion3);
  if (version < 4) run(database, kVersion4);
  if (version < 5) run(database, kVersion5);
  // Pages of earlier releases still contain deleted data.
  if (version == 1 || version == 2) database.run("VACUUM");
}

void begin_to_write_deliveries(SqlDatabase& database) {
  if (database.is_shared()) return;
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = FULL");
  // Overwrites deleted data: answers may name customers, who may be erased.
  database.run("PRAGMA secure_delete = ON");
  make_delivery_tables(database);
  database.run("PRAGMA temp_store = MEMORY");
  database.run(
      "CREATE TEMP TABLE touched_lanes (channel TEXT, charge TEXT, PRIMARY KEY (channel, charge)) "
      "WITHOUT ROWID");
}

std::vector<SqlRow> select_lanes(SqlDatabase& database,
                                 const std::vector<std::pair<std::string, std::string>>& lanes) {
  return database.is_shared() ? select_lanes_in_tables(database, lanes)
                              : select_lanes_in_file(database, lanes);
}

bool forget_removed_bytes(SqlDatabase& database) {
  return database.is_shared() || database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0;
}

}  // namespace pixledger::stores
