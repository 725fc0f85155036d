#include "projections/status/worker_state.h"

#include <Poco/Data/Session.h>
#include <Poco/Data/Statement.h>
#include <memory>

#include "eventstore/lmdb/untouched_database.h"
#include "eventstore/platform/lock_probe.h"
#include "projections/deliveries/delivery.h"
#include "projections/providers/provider_repository.h"
#include "projections/status/worker_databases.h"
#include "projections/storage/cursor_table.h"
#include "projections/storage/damage.h"
#include "projections/storage/optional_moment.h"
#include "projections/storage/sqlite_session.h"
#include "projections/storage/view_marker.h"

namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;
namespace fs = std::filesystem;

constexpr std::size_t kTimeBytes = 8;

std::uint64_t count(Poco::Data::Session& session, const std::string& from) {
  Integer number = 0;
  session << "SELECT count(*) FROM " + from, into(number), now;
  return static_cast<std::uint64_t>(number);
}

// Of an aggregate such as `min(…)`: null when nothing fits.
OptionalInteger select_one(Poco::Data::Session& session, const std::string& what, const std::string& from) {
  OptionalInteger number;
  session << "SELECT " + what + " FROM " + from, into(number), now;
  return number;
}

std::optional<LogCursor> cursor_in(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  auto session = open_sqlite_untouched(file);
  return find_cursor(session);
}

// The due charges; null when there are none to be trusted: they are not fsynced, and a crash of the machine
// may have left pages that would crash their reader.
std::unique_ptr<eventstore::UntouchedDatabase> open_due_charges(const fs::path& directory,
                                                                const eventstore::LmdbOptions& options) {
  if (!fs::exists(directory / "data.mdb")) return nullptr;
  const auto marker = ViewMarker::read(directory);
  if (!marker || !marker->trusted_by(ViewMarker::of(directory, marker->identity, false))) return nullptr;
  return std::make_unique<eventstore::UntouchedDatabase>(directory, options.map_bytes);
}

std::optional<LogCursor> cursor_of_due_charges(const fs::path& directory,
                                               const eventstore::LmdbOptions& options) {
  const auto due = open_due_charges(directory, options);
  const auto stored = due ? due->find("meta", "cursor") : std::nullopt;
  return stored ? LogCursor::parse(*stored) : std::nullopt;
}

}  // namespace

std::optional<WorkerState> find_worker(const fs::path& workers, const std::string& name,
                                       const eventstore::LmdbOptions& options) {
  const auto directory = workers / name;
  if (!fs::is_directory(directory)) return std::nullopt;
  WorkerState state{name, eventstore::is_locked(directory / "lock"), std::nullopt};
  for (const auto& database : kWorkerDatabases)
    if (name == database.worker) state.cursor = cursor_in(database.in(workers));
  if (name == "expiry") state.cursor = cursor_of_due_charges(directory, options);
  if (name == "providers") state.cursor = cursor_in(directory / kProvidersFile);
  return state;
}

std::optional<std::string> find_damage(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  auto session = open_sqlite_untouched(file);
  std::vector<std::string> problems;
  session << "PRAGMA quick_check(1)", into(problems), now;
  if (problems == std::vector<std::string>{"ok"}) return std::nullopt;
  return problems.empty() ? "it is not a database" : problems.front();
}

DeliveryBacklog delivery_backlog(const fs::path& workers) {
  const auto file = kWebhookDatabase.in(workers);
  if (!fs::exists(file)) return {};
  auto session = open_sqlite_untouched(file);
  DeliveryBacklog backlog;
  backlog.pending = count(session, "deliveries WHERE status = 0");
  // What is pending has a small index, which has the number of each as well.
  const auto oldest = select_one(session, "min(number)", "deliveries WHERE status = 0");
  if (!oldest.isNull())
    backlog.oldest = to_moment(select_one(session, "min(created_at)",
                                          "deliveries WHERE number = " + std::to_string(oldest.value())));
  backlog.due_since = to_moment(select_one(session, "min(next_attempt_at)",
                                           "deliveries WHERE status = 0 AND next_attempt_at IS NOT NULL"));
  return backlog;
}

std::vector<AttemptTotal> attempt_totals(const fs::path& workers) {
  const auto file = kWebhookDatabase.in(workers);
  if (!fs::exists(file)) return {};
  auto session = open_sqlite_untouched(file);
  std::vector<AttemptTotal> totals;
  for (const auto outcome : kAttemptOutcomes) {
    std::vector<Integer> attempts;
    session << "SELECT attempts FROM attempt_totals WHERE outcome = ?", into(attempts),
        bind(std::string(outcome)), now;
    totals.push_back(
        {std::string(outcome), attempts.empty() ? 0 : static_cast<std::uint64_t>(attempts.front())});
  }
  return totals;
}

std::vector<FailingChannel> failing_channels(const fs::path& workers) {
  const auto file = kWebhookDatabase.in(workers);
  if (!fs::exists(file)) return {};
  auto session = open_sqlite_untouched(file);
  std::vector<std::string> channels;
  std::vector<Integer> since;
  session << "SELECT channel, failing_since FROM channel_health WHERE failing_since IS NOT NULL AND EXISTS "
             "(SELECT 1 FROM deliveries WHERE deliveries.channel = channel_health.channel AND status = 0) "
             "ORDER BY failing_since",
      into(channels), into(since), now;
  std::vector<FailingChannel> failing;
  for (std::size_t i = 0; i < channels.size(); ++i)
    failing.push_back({channels[i], domain::Timestamp(since[i])});
  return failing;
}

EmailBacklog email_backlog(const fs::path& workers) {
  const auto file = kEmailDatabase.in(workers);
  if (!fs::exists(file)) return {};
  auto session = open_sqlite_untouched(file);
  EmailBacklog backlog;
  backlog.unsent = count(session, "emails WHERE status = 0");
  backlog.oldest = to_moment(select_one(session, "min(recorded_at)", "emails WHERE status = 0"));
  const std::string given_up = "emails WHERE status IN (2, 3)";
  backlog.given_up = count(session, given_up);
  backlog.last_given_up = to_moment(select_one(session, "max(recorded_at)", given_up));
  backlog.capped = count(session, "emails WHERE status = 5");
  // An earlier release had none, and counted none.
  if (count(session, "sqlite_master WHERE name = 'sandbox_emails'") > 0)
    backlog.capped_ever = static_cast<std::uint64_t>(
        select_one(session, "max(emails)", "sandbox_emails WHERE day = 0").value(Integer{0}));
  return backlog;
}

ExpiryBacklog expiry_backlog(const fs::path& workers, domain::Timestamp now,
                             const eventstore::LmdbOptions& options) {
  const auto directory = workers / "expiry";
  ExpiryBacklog backlog;
  const auto due = open_due_charges(directory, options);
  if (!due) return backlog;
  eventstore::LmdbCursor row(due->transaction(), due->database("by_expiry"));
  for (bool found = row.move(MDB_FIRST); found && backlog.waiting < ExpiryBacklog::kWaitingMax;
       found = row.move(MDB_NEXT)) {
    const auto key = row.key();
    if (key.size() < kTimeBytes) throw WorkerDatabaseDamaged("a row of the due charges is damaged");
    const domain::Timestamp expiry(
        static_cast<std::int64_t>(eventstore::from_big_endian(key.substr(0, kTimeBytes))));
    if (expiry > now) break;
    if (!backlog.oldest) backlog.oldest = expiry;
    ++backlog.waiting;
  }
  return backlog;
}

}  // namespace pixledger::projections
