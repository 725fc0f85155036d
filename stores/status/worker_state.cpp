#include "stores/status/worker_state.h"

#include <memory>
#include <string>
#include <vector>

#include "base/platform/faults.h"
#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/database_facts.h"
#include "eventstore/lmdb/derived_checkpoints.h"
#include "stores/banks/provider_repository.h"
#include "stores/databases/worker_tables.h"
#include "stores/deliveries/delivery.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTimeBytes = 8;

std::uint64_t count(SqlDatabase& database, const std::string& from) {
  return static_cast<std::uint64_t>(database.integer("SELECT count(*) FROM " + from));
}

// An aggregate of times such as `min(…)`: nullopt if no row matches.
std::optional<Timestamp> select_moment(SqlDatabase& database, const std::string& what,
                                       const std::string& from) {
  return database.run("SELECT " + what + " FROM " + from).rows.at(0).moment(0);
}

// Opens the due charges; null if they cannot be read as they are: after a loss of power damaged pages could
// crash their reader.
std::unique_ptr<eventstore::UntouchedDatabase> open_due_charges(const fs::path& directory,
                                                                const eventstore::LmdbOptions& options) {
  if (!eventstore::is_derived_readable(directory, std::nullopt)) return nullptr;
  return std::make_unique<eventstore::UntouchedDatabase>(directory, options.map_bytes);
}

std::optional<eventstore::LogCursor> cursor_of_due_charges(const fs::path& directory,
                                                           const eventstore::LmdbOptions& options) {
  const auto due = open_due_charges(directory, options);
  const auto stored = due ? due->find("meta", "cursor") : std::nullopt;
  return stored ? eventstore::LogCursor::parse(*stored) : std::nullopt;
}

std::optional<eventstore::LogCursor> cursor_of_providers(const fs::path& directory) {
  const auto file = directory / kProvidersFile;
  if (!fs::exists(file)) return std::nullopt;
  return find_cursor(*open_sqlite_untouched(file));
}

void forget_after(SqlDatabase& database, bool has_emails, Position last) {
  if (has_emails) {
    database.run("DELETE FROM emails WHERE position > $1", {sql(last)});
    return;
  }
  database.run("DELETE FROM attempts WHERE delivery IN (SELECT number FROM deliveries WHERE position > $1)",
               {sql(last)});
  database.run("DELETE FROM deliveries WHERE position > $1", {sql(last)});
  database.run("DELETE FROM recoveries WHERE requested_at > $1", {sql(last)});
}

}  // namespace

std::optional<WorkerState> find_worker(const WorkerDatabases& databases, const std::string& name,
                                       const eventstore::LmdbOptions& options) {
  const auto directory = databases.workers() / name;
  WorkerState state{name, is_locked(directory / "lock"), std::nullopt};
  for (const auto& database : kWorkerDatabases) {
    if (name != database.worker) continue;
    state.cursor = databases.cursor(database);
    if (databases.are_shared()) state.running = databases.has_right_taken(name);
  }
  if (!fs::is_directory(directory) && !state.cursor) return std::nullopt;
  if (name == "expiry") state.cursor = cursor_of_due_charges(directory, options);
  if (name == "providers") state.cursor = cursor_of_providers(directory);
  return state;
}

std::optional<std::string> find_damage(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  const auto problems = open_sqlite_untouched(file)->run("PRAGMA quick_check(1)").rows;
  if (problems.empty()) return "it is not a database";
  if (problems.size() == 1 && problems.front().text(0) == "ok") return std::nullopt;
  return problems.front().text(0);
}

DeliveryBacklog delivery_backlog(const WorkerDatabases& databases) {
  const auto database = databases.look(kWebhookDatabase);
  if (!database) return {};
  DeliveryBacklog backlog;
  backlog.pending = count(*database, "deliveries WHERE status = 0");
  // Pending deliveries have a small index, which also contains each number.
  const auto oldest = database->run("SELECT min(number) FROM deliveries WHERE status = 0");
  if (const auto& row = oldest.rows.at(0); !row.is_null(0))
    backlog.oldest =
        database->run("SELECT min(created_at) FROM deliveries WHERE number = $1", {row.integer(0)})
            .rows.at(0)
            .moment(0);
  backlog.due_since = select_moment(*database, "min(next_attempt_at)",
                                    "deliveries WHERE status = 0 AND next_attempt_at IS NOT NULL");
  return backlog;
}

std::vector<AttemptTotal> attempt_totals(const WorkerDatabases& databases) {
  const auto database = databases.look(kWebhookDatabase);
  if (!database) return {};
  std::vector<AttemptTotal> totals;
  for (const auto outcome : kAttemptOutcomes) {
    const auto found =
        database->run("SELECT attempts FROM attempt_totals WHERE outcome = $1", {std::string(outcome)});
    totals.push_back(
        {std::string(outcome), found.rows.empty() ? 0 : found.rows.front().as<std::uint64_t>(0)});
  }
  return totals;
}

std::vector<FailingChannel> failing_channels(const WorkerDatabases& databases) {
  const auto database = databases.look(kWebhookDatabase);
  if (!database) return {};
  std::vector<FailingChannel> failing;
  const auto found = database->run(
      "SELECT channel, failing_since FROM channel_health WHERE failing_since IS NOT NULL AND EXISTS "
      "(SELECT 1 FROM deliveries WHERE deliveries.channel = channel_health.channel AND status = 0) "
      "ORDER BY failing_since");
  for (const auto& row : found.rows) failing.push_back({row.text(0), Timestamp(row.integer(1))});
  return failing;
}

EmailBacklog email_backlog(const WorkerDatabases& databases) {
  const auto database = databases.look(kEmailDatabase);
  if (!database) return {};
  EmailBacklog backlog;
  backlog.unsent = count(*database, "emails WHERE status = 0");
  backlog.oldest = select_moment(*database, "min(recorded_at)", "emails WHERE status = 0");
  const std::string given_up = "emails WHERE status IN (2, 3)";
  backlog.given_up = count(*database, given_up);
  backlog.last_given_up = select_moment(*database, "max(recorded_at)", given_up);
  backlog.capped = count(*database, "emails WHERE status = 5");
  // An earlier release had no such table, and capped nothing.
  if (!database->is_shared() && count(*database, "sqlite_master WHERE name = 'sandbox_emails'") == 0)
    return backlog;
  backlog.capped_ever = static_cast<std::uint64_t>(
      database->integer("SELECT coalesce(max(emails), 0) FROM sandbox_emails WHERE day = 0"));
  return backlog;
}

ExpiryBacklog expiry_backlog(const fs::path& workers, Timestamp now, const eventstore::LmdbOptions& options) {
  const auto directory = workers / "expiry";
  ExpiryBacklog backlog;
  const auto due = open_due_charges(directory, options);
  if (!due) return backlog;
  eventstore::LmdbCursor row(due->transaction(), due->database("by_expiry"));
  for (bool found = row.move(MDB_FIRST); found && backlog.waiting < ExpiryBacklog::kWaitingMax;
       found = row.move(MDB_NEXT)) {
    const auto key = row.key();
    if (key.size() < kTimeBytes) throw DataDamaged("a row of the due charges is damaged");
    const Timestamp expiry(static_cast<std::int64_t>(from_big_endian(key.substr(0, kTimeBytes))));
    if (expiry > now) break;
    if (!backlog.oldest) backlog.oldest = expiry;
    ++backlog.waiting;
  }
  return backlog;
}

void copy_database(const fs::path& from, const fs::path& to) {
  open_sqlite_to_read(from)->run("VACUUM INTO $1", {fs::absolute(to).string()});
}

bool export_worker(const WorkerDatabases& databases, const WorkerDatabase& database, const fs::path& to) {
  if (databases.are_shared()) return export_worker_database(databases, database, to);
  const auto source = database.in(databases.workers());
  if (!fs::exists(source)) return false;
  copy_database(source, to);
  return true;
}

std::optional<eventstore::LogCursor> cursor_of_database(const std::filesystem::path& file) {
  return find_cursor(*open_sqlite(file, "rw"));
}

void cut_database(const WorkerDatabase& database, const std::filesystem::path& file, Position last,
                  const Digest& leaf_hash) {
  const auto opened = open_sqlite(file, "rw");
  const auto cursor = find_cursor(*opened);
  if (!cursor) return;
  SqlTransaction transaction(*opened);
  forget_after(*opened, database.worker == kEmailDatabase.worker, last);
  if (cursor->position > last) save_cursor(*opened, {cursor->log, last, leaf_hash});
  transaction.commit();
}

}  // namespace pixledger::stores
