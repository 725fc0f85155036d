#include "stores/databases/worker_tables.h"

#include <sstream>
#include <string>
#include <vector>

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

const std::vector<CopiedTable>& tables_of(const WorkerDatabase& database) {
  static const std::vector<CopiedTable> kOfWebhooks{
      {"deliveries",
       1,
       {"number", "id", "channel", "project", "charge", "environment", "event", "version", "position",
        "sequence", "created_at", "status", "attempts", "next_attempt_at", "first_failed_at", "round_start"}},
      {"attempts", 2, {"delivery", "number", "at", "http_status", "latency_ms", "error", "answer"}},
      {"channel_health",
       1,
       {"channel", "consecutive_failures", "last_success_at", "last_failure_at", "failing_since"}},
      {"recoveries", 1, {"channel", "project", "requested_at", "since", "until", "done_up_to"}},
      {"retention", 1, {"only_row", "pruned_before"}},
      {"erased_charges", 1, {"charge"}},
      {"attempt_totals", 1, {"outcome", "attempts"}},
      {"cursor", 1, {"only_row", "text"}}};
  static const std::vector<CopiedTable> kOfEmails{{"emails",
                                                   1,
                                                   {"position", "charge", "environment", "recorded_at",
                                                    "status", "attempts", "next_attempt_at", "error"}},
                                                  {"sandbox_emails", 2, {"day", "whose", "emails"}},
                                                  {"cursor", 1, {"only_row", "text"}}};
  return database.worker == kWebhookDatabase.worker ? kOfWebhooks : kOfEmails;
}

void make_tables(const WorkerDatabase& database, SqlDatabase& file) {
  if (database.worker == kWebhookDatabase.worker)
    make_delivery_tables(file);
  else
    make_email_tables(file);
}

constexpr std::size_t kRowsAtOnce = 1'000;

std::string names_of(const CopiedTable& table, std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) names.append(i == 0 ? "" : ", ").append(table.columns[i]);
  return names;
}

std::string places(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text.append(i == 1 ? "$" : ", $").append(std::to_string(i));
  return text;
}

void copy_rows(const CopiedTable& table, SqlDatabase& from, SqlDatabase& to) {
  const auto keys = names_of(table, table.keys);
  std::ostringstream first, next, insert;
  const auto select = "SELECT " + names_of(table, table.columns.size()) + " FROM " + table.name;
  const auto order = " ORDER BY " + keys + " LIMIT " + std::to_string(kRowsAtOnce);
  first << select << order;
  next << select << " WHERE (" << keys << ") > (" << places(table.keys) << ")" << order;
  insert << "INSERT INTO " << table.name << " (" << names_of(table, table.columns.size()) << ") VALUES ("
         << places(table.columns.size()) << ")";
  auto found = from.run(first.str());
  while (!found.rows.empty()) {
    std::vector<SqlValues> rows;
    for (const auto& row : found.rows) {
      auto& values = rows.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i) values.push_back(row.value(i));
    }
    to.run_each(insert.str(), rows);
    if (found.rows.size() < kRowsAtOnce) return;
    auto last = rows.back();
    last.resize(table.keys);
    found = from.run(next.str(), last);
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
    copy_tables(tables_of(database), *file, tables);
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
  copy_tables(tables_of(database), *from, *file);
  transaction.commit();
  return true;
}

void copy_tables(const std::vector<CopiedTable>& tables, SqlDatabase& from, SqlDatabase& to) {
  for (const auto& table : tables) {
    // A new table may already contain one row.
    to.run("DELETE FROM " + std::string(table.name));
    copy_rows(table, from, to);
  }
}

}  // namespace pixledger::stores
