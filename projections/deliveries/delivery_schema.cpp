#include "projections/deliveries/delivery_schema.h"

#include <Poco/Data/Statement.h>
#include <array>
#include <stdexcept>
#include <string>

#include "projections/storage/cursor_table.h"

namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;

constexpr int kSchemaVersion = 5;

// `first_failed_at` is set by the first attempt, which failed when the delivery is still pending afterwards.
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

// A test of a channel has the charge '' and the event -1. Lanes are looked up only among what is pending.
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

// Whatever is answered about these charges is not kept.
constexpr std::array<const char*, 2> kVersion3{
    "CREATE TABLE erased_charges (charge TEXT PRIMARY KEY) WITHOUT ROWID", "PRAGMA user_version = 3"};

// One recovery a channel. Of those that are under way nobody has noted the project: each channel counts as
// one.
constexpr std::array<const char*, 5> kVersion4{
    "CREATE TABLE recoveries_of_channels (channel TEXT PRIMARY KEY, project TEXT NOT NULL, "
    "requested_at INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, done_up_to INTEGER) "
    "WITHOUT ROWID",
    "INSERT INTO recoveries_of_channels SELECT channel, channel, MAX(requested_at), MIN(since), "
    "MAX(until), NULL FROM recoveries GROUP BY channel",
    "DROP TABLE recoveries", "ALTER TABLE recoveries_of_channels RENAME TO recoveries",
    "PRAGMA user_version = 4"};

// Retention takes attempts away; these only grow.
constexpr std::array<const char*, 2> kVersion5{
    "CREATE TABLE attempt_totals (outcome TEXT PRIMARY KEY, attempts INTEGER NOT NULL) WITHOUT ROWID",
    "PRAGMA user_version = 5"};

template <std::size_t Count>
void run(Poco::Data::Session& session, const std::array<const char*, Count>& statements) {
  session.begin();
  for (const auto* statement : statements) session << statement, now;
  session.commit();
}

int version_of(Poco::Data::Session& session) {
  int version = 0;
  session << "PRAGMA user_version", into(version), now;
  if (version > kSchemaVersion) throw std::runtime_error("a newer release wrote the deliveries");
  return version;
}

}  // namespace

bool are_delivery_tables_current(Poco::Data::Session& session) {
  return version_of(session) == kSchemaVersion;
}

void make_delivery_tables(Poco::Data::Session& session) {
  const int version = version_of(session);
  if (version < 1) run(session, kVersion1);
  if (version < 2) run(session, kVersion2);
  if (version < 3) run(session, kVersion3);
  if (version < 4) run(session, kVersion4);
  if (version < 5) run(session, kVersion5);
  // Pages of earlier releases keep what was deleted from them.
  if (version == 1 || version == 2) session << "VACUUM", now;
}

void make_working_tables(Poco::Data::Session& session) {
  session << "PRAGMA temp_store = MEMORY", now;
  session << "CREATE TEMP TABLE touched_lanes (channel TEXT, charge TEXT, PRIMARY KEY (channel, charge)) "
             "WITHOUT ROWID",
      now;
}

}  // namespace pixledger::projections
