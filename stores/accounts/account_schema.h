#pragma once

#include "stores/sql/sql_database.h"

// The tables of the accounts, in SQL that SQLite and PostgreSQL both take. The numbers of enumerations never
// change; docs/EVENT_FORMAT.md does not know them, since nothing of it is an event.
namespace pixledger::stores {

// In SQLite: makes the tables where there are none. Throws std::runtime_error when a newer release made them.
void make_account_tables(SqlDatabase& database);

// In PostgreSQL, in a schema of their own that is the first in the search path; made with the ledger.
extern const char* const kSharedAccountTables;

}  // namespace pixledger::stores
