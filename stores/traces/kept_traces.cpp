#include "stores/traces/kept_traces.h"

#include <utility>

#include "stores/sql/refusal.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

constexpr std::chrono::minutes kLookAfterEvery{1};
// Between two steps, so that a write finds its turn.
constexpr std::chrono::milliseconds kBetweenSteps{20};
constexpr std::int64_t kRemovedAtOnce = 500;
// 8 MiB. Under a steady load no checkpoint meets the pause between writes that lets the log begin anew.
constexpr std::int64_t kLogPagesMax = 2'048;

// Waits at most 50 ms for another writer: the ledger's commits wait with keep().
std::unique_ptr<SqlDatabase> open_impatiently(const std::filesystem::path& file, const char* mode) {
  auto database = open_sqlite(file, mode);
  database->run("PRAGMA busy_timeout = 50");
  return database;
}

std::unique_ptr<SqlDatabase> open_to_keep(const std::filesystem::path& file) {
  auto database = open_impatiently(file, "rwc");
  database->run("PRAGMA journal_mode = WAL");
  // Writes here never wait for the disk: the upkeep does, in its checkpoints.
  database->run("PRAGMA synchronous = OFF");
  database->run("PRAGMA wal_autocheckpoint = 0");
  database->run(
      "CREATE TABLE IF NOT EXISTS traces (position INTEGER PRIMARY KEY, recorded_at INTEGER NOT NULL, "
      "traceparent TEXT NOT NULL, tracestate TEXT NOT NULL, is_callers INTEGER NOT NULL)");
  return database;
}

}  // namespace

TraceKeeper::TraceKeeper(std::filesystem::path file, const Clock& clock, Logger& logger)
    : file_(std::move(file)),
      clock_(clock),
      logger_(logger),
      upkeep_(kLookAfterEvery, [this] { return look_after(); }) {}

void TraceKeeper::log(const std::exception& fault) {
  if (fault_due_.due()) logger_.warning("traces of requests cannot be kept", {{"fault", text_of(fault)}});
}

void TraceKeeper::keep(const std::vector<EventTrace>& traces) {
  std::vector<SqlValues> rows;
  for (const auto& [position, recorded_at, context] : traces)
    rows.push_back({sql(position), sql(recorded_at), traceparent_of(*context, context->parent_id),
                    context->state, sql_number(context->is_callers)});
  const std::lock_guard lock(mutex_);
  try {
    if (!database_) database_ = open_to_keep(file_);
    SqlTransaction transaction(*database_);
    database_->run_each("INSERT OR REPLACE INTO traces VALUES ($1, $2, $3, $4, $5)", rows);
    transaction.commit();
  } catch (const std::exception& error) {
    database_.reset();
    log(error);
  }
}

// On a connection of its own, so that keep() does not wait for the disk.
bool TraceKeeper::remove_old() {
  if (!std::filesystem::exists(file_)) return false;
  const auto database = open_impatiently(file_, "rw");
  // Only checkpoints wait for the disk: a commit that does would keep the lock meanwhile.
  database->run("PRAGMA synchronous = NORMAL");
  const auto before = clock_.now().plus_millis(-kTracesKept.count());
  SqlTransaction transaction(*database);
  const auto removed = database->run(
      "DELETE FROM traces WHERE position IN (SELECT position FROM (SELECT position, recorded_at "
      "FROM traces ORDER BY position LIMIT $1) WHERE recorded_at <= $2)",
      {kRemovedAtOnce, sql(before)});
  transaction.commit();
  const bool has_more = removed.changed == static_cast<std::size_t>(kRemovedAtOnce);
  if (has_more) return true;
  const auto checkpoint = database->run("PRAGMA wal_checkpoint(PASSIVE)");
  const auto log_pages = checkpoint.rows.front().integer(1);
  // Keeps the lock, but for a few pages only: the others are in the file by now.
  if (log_pages > kLogPagesMax) database->run("PRAGMA wal_checkpoint(TRUNCATE)");
  return false;
}

Periodic::Wait TraceKeeper::look_after() {
  try {
    if (remove_old()) return kBetweenSteps;
  } catch (const std::exception& error) {
    log(error);
  }
  return kLookAfterEvery;
}

std::optional<TraceContext> EventTraces::find(Position position, Timestamp recorded_at) const {
  if (recorded_at <= clock_.now().plus_millis(-kTracesKept.count())) return std::nullopt;
  const std::lock_guard lock(mutex_);
  try {
    if (!database_ && !are_any()) return std::nullopt;
    // Not open_sqlite_to_read(), which would not see what a keeper writes from now on.
    if (!database_) database_ = open_sqlite(file_, "ro");
    const auto found = database_->run(
        "SELECT traceparent, tracestate, is_callers FROM traces WHERE position = $1 AND recorded_at = $2",
        {sql(position), sql(recorded_at)});
    if (found.rows.empty()) return std::nullopt;
    const auto& row = found.rows.front();
    auto context = parse_trace_context(row.text(0), row.text(1));
    if (context) context->is_callers = row.integer(2) != 0;
    return context;
  } catch (const std::exception& error) {
    database_.reset();
    if (fault_due_.due()) logger_.warning("traces of requests cannot be read", {{"fault", text_of(error)}});
    return std::nullopt;
  }
}

std::vector<std::pair<std::string, std::string>> AttemptSpan::headers() const {
  std::vector<std::pair<std::string, std::string>> headers;
  if (cause.is_callers) headers.emplace_back("traceparent", traceparent_of(cause, id));
  if (!cause.state.empty()) headers.emplace_back("tracestate", cause.state);
  return headers;
}

AttemptSpan EventTraces::begin(TraceContext cause) const {
  return {std::move(cause), new_span_id(entropy_), Span::Time::clock::now()};
}

void EventTraces::end(const AttemptSpan& attempt, std::string name, std::vector<SpanAttribute> attributes,
                      std::string_view error) const {
  if (!spans_ || !attempt.cause.is_sampled) return;
  if (!error.empty()) attributes.push_back({"error.type", std::string(error)});
  spans_->add({.trace_id = attempt.cause.trace_id,
               .id = attempt.id,
               .parent_id = attempt.cause.parent_id,
               .name = std::move(name),
               .kind = SpanKind::kClient,
               .began = attempt.began,
               .ended = Span::Time::clock::now(),
               .attributes = std::move(attributes),
               .has_failed = !error.empty()});
}

}  // namespace pixledger::stores
