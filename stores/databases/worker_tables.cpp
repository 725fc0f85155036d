#include "stores/databases/worker_tables.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/pg_client.h"
#include "stores/accounts/account_repository.h"
#include "stores/databases/account_database.h"
#include "stores/deliveries/delivery_schema.h"
#include "stores/emails/email_repository.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/postgres_database.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

struct CopiedTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::string> key;
};

// The tables of an SQLite file, which has the same tables and columns as PostgreSQL.
std::vector<CopiedTable> tables_of(SqlDatabase& file) {
  const auto found = file.run(
      "SELECT made.name, part.name, part.pk FROM sqlite_schema AS made, pragma_table_info(made.name) AS part "
      "WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%' ORDER BY made.name, part.cid");
  std::vector<CopiedTable> tables;
  for (const auto& row : found.rows) {
    if (tables.empty() || tables.back().name != row.text(0)) tables.push_back({row.text(0), {}, {}});
    auto& table = tables.back();
    table.columns.push_back(row.text(1));
    const auto place_in_key = row.as<std::size_t>(2);  // From 1 on; 0 for other columns.
    if (place_in_key > table.key.size()) table.key.resize(place_in_key);
    if (place_in_key != 0) table.key[place_in_key - 1] = row.text(1);
  }
  return tables;
}

void make_tables(const WorkerDatabase& database, SqlDatabase& file) {
  if (database.worker == kWebhookDatabase.worker)
    make_delivery_tables(file);
  else
    make_email_tables(file);
}

constexpr std::size_t kRowsAtOnce = 1'000;

std::string places(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text.append(i == 1 ? "$" : ", $").append(std::to_string(i));
  return text;
}

void copy_rows(const CopiedTable& table, SqlDatabase& from, SqlDatabase& to) {
  const auto columns = joined(table.columns, ", ");
  const auto key = joined(table.key, ", ");
  const auto select = "SELECT " + columns + " FROM " + table.name;
  const auto order = " ORDER BY " + key + " LIMIT " + std::to_string(kRowsAtOnce);
  const auto next = select + " WHERE (" + key + ") > (" + places(table.key.size()) + ")" + order;
  const auto insert =
      "INSERT INTO " + table.name + " (" + columns + ") VALUES (" + places(table.columns.size()) + ")";
  auto found = from.run(select + order);
  while (!found.rows.empty()) {
    std::vector<SqlValues> rows;
    for (const auto& row : found.rows) {
      auto& values = rows.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) values.push_back(row.value(i));
    }
    to.run_each(insert, rows);
    if (found.rows.size() < kRowsAtOnce) return;
    SqlValues last;
    for (const auto& name : table.key) {
      const auto column = std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin();
      last.push_back(rows.back()[static_cast<std::size_t>(column)]);
    }
    found = from.run(next, last);
  }
}

}  // namespace

void create_worker_tables(eventstore::PgClient& owner, const std::string& servers_role) {
  const auto role = eventstore::quoted_name(servers_role);
  const auto create = [&](const std::string& schema, const char* tables) {
    owner.run("CREATE SCHEMA " + schema + "; SET LOCAL search_path = " + schema);
    owner.run(tables);
    owner.run("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
    owner.run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + role);
  };
  create(kWebhookDatabase.schema, kSharedDeliveryTables);
  create(kEmailDatabase.schema, kSharedEmailTables);
  create(kAccountsSchema, kSharedAccountTables);
  owner.run("SET LOCAL search_path = pixledger");
}

void import_worker_databases(eventstore::PgClient& owner, const DataDirectory& from) {
  for (const auto& database : kWorkerDatabases) {
    const auto path = database.in(from.workers());
    if (!std::filesystem::exists(path)) continue;
    const auto file = open_sqlite(path, "rw");
    make_tables(database, *file);
    PostgresWithin tables(owner, database.schema);
    copy_tables(*file, tables);
    if (database.worker == kWebhookDatabase.worker)
      tables.run(
          "SELECT setval(pg_get_serial_sequence('deliveries', 'number'), "
          "(SELECT coalesce(max(number), 0) + 1 FROM deliveries), false)");
  }
  import_accounts(owner, from);
  owner.run("SET LOCAL search_path = pixledger");
}

void remove_worker_files(const DataDirectory& data) {
  const auto remove = [](const std::string& path) {
    for (const auto* const suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + suffix);
  };
  for (const auto& database : kWorkerDatabases) remove(database.in(data.workers()).string());
  remove((data.accounts() / kAccountsFile).string());
}

bool export_worker_database(const WorkerDatabases& databases, const WorkerDatabase& database,
                            const std::filesystem::path& to) {
  const auto from = databases.look(database);
  const SqlMoment moment(*from);
  if (!select_cursor(*from)) return false;
  const auto file = open_sqlite(to, "rwc");
  make_tables(database, *file);
  SqlTransaction transaction(*file);
  copy_tables(*from, *file);
  transaction.commit();
  return true;
}

void copy_tables(SqlDatabase& from, SqlDatabase& to) {
  for (const auto& table : tables_of(from.is_shared() ? to : from)) {
    // A new table may already contain one row.
    to.run("DELETE FROM " + table.name);
    copy_rows(table, from, to);
  }
}

}  // namespace pixledger::stores
