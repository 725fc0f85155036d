#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/platform/data_directory.h"
#include "stores/databases/worker_databases.h"
#include "stores/sql/sql_database.h"

namespace pixledger::eventstore {
class PgClient;
}  // namespace pixledger::eventstore

namespace pixledger::stores {

// What workers keep, and the accounts, in PostgreSQL: made with a shared ledger, brought there from a data
// directory's files, and brought into such files.

// Within the owner's transaction: the tables, in schemas of their own, which the servers' role may read and
// change. Throws LogUnavailable.
void create_worker_tables(eventstore::PgClient& owner, const std::string& servers_role);

// Within the same transaction, or a later one, into tables that are empty: what the workers of a data
// directory have told already, where they have run, and its accounts. Nobody is at work there. Their files
// are brought up to date first. Throws LogUnavailable, and what the files' databases do.
void import_worker_databases(eventstore::PgClient& owner, const DataDirectory& from);

// Once all that is there: removes the files, which nobody uses any more. Nobody is at work there.
void remove_worker_files(const DataDirectory& data);

// The tables of a worker as they are at one moment, as the file that a backup has of it: made anew, not
// durable on return. False, and no file, where the worker has never started. `databases`: of a ledger that
// machines share. Throws LogUnavailable, and Poco::Exception.
bool export_worker_database(const WorkerDatabases& databases, const WorkerDatabase& database,
                            const std::filesystem::path& to);

// What both engines have of a table. Rows are copied in the order of its first columns, which are its key.
struct CopiedTable {
  const char* name;
  std::size_t keys;
  std::vector<const char*> columns;
};

// From one database into another in the place of what that has, within transactions of the caller's. A part
// at a time, so that memory does not grow with the tables. Throws what the databases do.
void copy_tables(const std::vector<CopiedTable>& tables, SqlDatabase& from, SqlDatabase& to);

}  // namespace pixledger::stores
