#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stores/sql/sql_database.h"

// The tables of the deliveries, and all that differs between SQLite and PostgreSQL. The numbers of
// enumerations are those of the domain and never change.
namespace pixledger::stores {

// In SQLite: makes the tables where there are none, and brings those of an older release up to date. Throws
// std::runtime_error when a newer release made them.
void make_delivery_tables(SqlDatabase& database);

// False where there are no tables yet, or older ones. Throws as above.
bool are_delivery_tables_current(SqlDatabase& database);

// How a file is written, and tables of the session that transactions work with.
void begin_to_write_deliveries(SqlDatabase& database);

// In PostgreSQL, in a schema of their own that is the first in the search path; made with the ledger.
extern const char* const kSharedDeliveryTables;

// The pending deliveries of lanes, each a channel and a charge, lane by lane and each in order: number,
// attempts of this round, channel, charge, first_failed_at, next_attempt_at.
std::vector<SqlRow> select_lanes(SqlDatabase& database,
                                 const std::vector<std::pair<std::string, std::string>>& lanes);

// Brings what keeps removed bytes beside the tables down to nothing. False when somebody reads from it at the
// moment. In PostgreSQL that is an operator's work.
bool forget_removed_bytes(SqlDatabase& database);

}  // namespace pixledger::stores
