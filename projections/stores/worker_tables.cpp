#include "projections/stores/worker_tables.h"

#include <sstream>
#include <vector>

#include "eventstore/postgres/ledger_schema.h"
#include "eventstore/postgres/pg_session.h"
#include "projections/deliveries/delivery_schema.h"
#include "projections/emails/email_schema.h"
#include "projections/storage/cursor_table.h"
#include "projections/storage/postgres_database.h"
#include "projections/storage/sqlite_database.h"
#include "projections/storage/sqlite_session.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kRowsAtOnce = 1'000;

// What both engines have of a table. Rows are copied in the order of its first columns, which are its key.
struct Table {
  const char* name;
  std::size_t keys;
  std::vector<const char*> columns;
};

const std::vector<Table>& tables_of(const WorkerDatabase& database) {
  static const std::vector<Table> kOfWebhooks{
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
  static const std::vector<Table> kOfEmails{{"emails",
                                             1,
                                             {"position", "charge", "environment", "recorded_at", "status",
                                              "attempts", "next_attempt_at", "error"}},
                                            {"sandbox_emails", 2, {"day", "whose", "emails"}},
                                            {"cursor", 1, {"only_row", "text"}}};
  return database.worker == kWebhookDatabase.worker ? kOfWebhooks : kOfEmails;
}

std::string names_of(const Table& table, std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) names.append(i == 0 ? "" : ", ").append(table.columns[i]);
  return names;
}

std::string places(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text.append(i == 1 ? "$" : ", $").append(std::to_string(i));
  return text;
}

// A part at a time, so that memory does not grow with the tables.
void copy_rows(const Table& table, SqlDatabase& from, SqlDatabase& to) {
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

void copy_tables(const WorkerDatabase& database, SqlDatabase& from, SqlDatabase& to) {
  for (const auto& table : tables_of(database)) {
    // One row is there from the beginning.
    to.run("DELETE FROM " + std::string(table.name));
    copy_rows(table, from, to);
  }
}

void make_tables(const WorkerDatabase& database, SqlDatabase& file) {
  if (database.worker == kWebhookDatabase.worker)
    make_delivery_tables(file);
  else
    make_email_tables(file);
}

}  // namespace

void create_worker_tables(eventstore::PgSession& owner, const std::string& servers_role) {
  const auto role = eventstore::quoted_name(servers_role);
  for (const auto& database : kWorkerDatabases) {
    const std::string schema = database.schema;
    owner.run("CREATE SCHEMA " + schema + "; SET LOCAL search_path = " + schema);
    owner.run(database.worker == kWebhookDatabase.worker ? kSharedDeliveryTables : kSharedEmailTables);
    owner.run("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
    owner.run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + schema + " TO " + role);
  }
  owner.run("SET LOCAL search_path = pixledger");
}

void import_worker_stores(eventstore::PgSession& owner, const eventstore::DataDirectory& from) {
  for (const auto& database : kWorkerDatabases) {
    const auto path = database.in(from.workers());
    if (!std::filesystem::exists(path)) continue;
    SqliteDatabase file(open_sqlite(path, "rw"));
    make_tables(database, file);
    PostgresWithin tables(owner, database.schema);
    copy_tables(database, file, tables);
    if (database.worker == kWebhookDatabase.worker)
      tables.run(
          "SELECT setval(pg_get_serial_sequence('deliveries', 'number'), "
          "(SELECT coalesce(max(number), 0) + 1 FROM deliveries), false)");
  }
  owner.run("SET LOCAL search_path = pixledger");
}

void remove_worker_files(const eventstore::DataDirectory& data) {
  for (const auto& database : kWorkerDatabases) {
    const auto path = database.in(data.workers()).string();
    for (const auto* const suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + suffix);
  }
}

bool export_worker_store(const WorkerStores& stores, const WorkerDatabase& database,
                         const std::filesystem::path& to) {
  const auto from = stores.look(database);
  const SqlMoment moment(*from);
  if (!select_cursor(*from)) return false;
  SqliteDatabase file(open_sqlite(to, "rwc"));
  make_tables(database, file);
  SqlTransaction transaction(file);
  copy_tables(database, *from, file);
  transaction.commit();
  return true;
}

}  // namespace pixledger::projections
