#pragma once

#include <filesystem>
#include <string>

#include "base/platform/data_directory.h"
#include "stores/databases/worker_databases.h"
#include "stores/sql/sql_database.h"

namespace pixledger::eventstore {
class PgClient;
}  // namespace pixledger::eventstore

namespace pixledger::stores {

// The workers' data and the accounts in PostgreSQL: created with a shared ledger, imported from a data
// directory's files, and exported to such files.

// Creates the tables in their own schemas, within the owner's transaction; the servers' role may read and
// change them. Throws LogUnavailable.
void create_worker_tables(eventstore::PgClient& owner, const std::string& servers_role);

// Copies the state of a data directory's workers that have run, and its accounts, into empty tables. Call it
// within the same transaction or a later one; no worker may run there. Migrates the files first. Throws
// LogUnavailable and the files' database errors.
void import_worker_databases(eventstore::PgClient& owner, const DataDirectory& from);

// Removes the files after the import. No worker may run there.
void remove_worker_files(const DataDirectory& data);

// Writes a snapshot of a worker's tables as a backup's file: new, not durable on return. Returns false,
// without a file, if the worker has never started. `databases` must be of a shared ledger. Throws
// LogUnavailable and Poco::Exception.
bool export_worker_database(const WorkerDatabases& databases, const WorkerDatabase& database,
                            const std::filesystem::path& to);

// Replaces the rows of one database by those of another, within the caller's transactions. One of them is an
// SQLite file, whose tables and columns are copied. Copies in parts, so that memory use does not grow with
// the tables. Throws the databases' errors.
void copy_tables(SqlDatabase& from, SqlDatabase& to);

}  // namespace pixledger::stores
