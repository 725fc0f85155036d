#pragma once

#include "stores/sql/sql_database.h"

// The tables of the e-mails. The numbers of enumerations never change.
namespace pixledger::stores {

// In SQLite: makes the tables where there are none, and brings those of an older release up to date. Throws
// std::runtime_error when a newer release made them.
void make_email_tables(SqlDatabase& database);

// Throws as above.
void refuse_newer_emails(SqlDatabase& database);

// In PostgreSQL, in a schema of their own that is the first in the search path; made with the ledger.
extern const char* const kSharedEmailTables;

}  // namespace pixledger::stores
