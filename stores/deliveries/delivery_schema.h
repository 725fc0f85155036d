#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stores/sql/sql_database.h"

// The tables of the deliveries, and all differences between SQLite and PostgreSQL. Enumeration values are the
// domain's and never change.
namespace pixledger::stores {

// For SQLite: creates missing tables and migrates those of an older release. Throws std::runtime_error if a
// newer release made them.
void make_delivery_tables(SqlDatabase& database);

// False if the tables are missing or older. Throws as above.
bool are_delivery_tables_current(SqlDatabase& database);

// Sets the file's write mode, and creates the session's temporary tables for transactions.
void begin_to_write_deliveries(SqlDatabase& database);

// For PostgreSQL, in their own schema, which is first in the search path; created with the ledger.
extern const char* const kSharedDeliveryTables;

// The pending deliveries of lanes, each a channel and a charge, ordered by lane: number, attempts of this
// round, channel, charge, first_failed_at, next_attempt_at.
std::vector<SqlRow> select_lanes(SqlDatabase& database,
                                 const std::vector<std::pair<std::string, std::string>>& lanes);

// Truncates files beside the tables that keep removed bytes. False if there is a reader at the moment. In
// PostgreSQL this is the operator's task.
bool forget_removed_bytes(SqlDatabase& database);

}  // namespace pixledger::stores
