#include "stores/deliveries/delivery_repository.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/platform/faults.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/delivery_rows.h"
#include "stores/deliveries/delivery_schema.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/sql_database.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

// Changes of deliveries by events and attempts. Each function except stop_in_steps() runs in the caller's
// transaction.

constexpr std::size_t kStoppedAtOnce = 5'000;

// Applies changes in order; inserts new deliveries, which are many, in bulk.
class Changes {
 public:
  explicit Changes(SqlDatabase& database) : database_(database) {}

  void operator()(const NewDelivery& delivery) { gathered_.push_back(delivery); }

  void operator()(const ChannelStopped& stopped) {
    flush();
    // Tests, whose event is -1, are sent even to a stopped channel.
    database_.run("UPDATE deliveries SET status = 2 WHERE channel = $1 AND status = 0 AND event <> -1",
                  {stopped.channel.text()});
    if (stopped.is_deleted)
      database_.run("DELETE FROM recoveries WHERE channel = $1", {stopped.channel.text()});
    else
      database_.run("UPDATE recoveries SET done_up_to = $1 WHERE channel = $2",
                    {kRecoveryWaits, stopped.channel.text()});
  }

  void operator()(const ChannelResumed& resumed) {
    flush();
    database_.run(
        "UPDATE channel_health SET consecutive_failures = 0, failing_since = NULL WHERE channel = $1",
        {resumed.channel.text()});
    database_.run("UPDATE recoveries SET done_up_to = NULL WHERE channel = $1 AND done_up_to = $2",
                  {resumed.channel.text(), kRecoveryWaits});
  }

  void operator()(const Redelivery& again) {
    flush();
    const auto found = find_delivery(database_, again.id);
    if (!found || found->channel != again.channel) return;
    database_.run("UPDATE deliveries SET status = 0, round_start = " + next_round(Requeued::kRedelivery) +
                      ", next_attempt_at = $1, first_failed_at = NULL WHERE number = $2",
                  {found->charge ? SqlValue() : sql(again.at), found->number});
    if (found->charge) release(database_, {{found->channel, *found->charge}}, again.at);
  }

  void operator()(const Recovery& recovery) {
    flush();
    database_.run(
        "INSERT INTO recoveries (channel, project, requested_at, since, until) VALUES ($1, $2, $3, $4, $5) "
        "ON CONFLICT (channel) DO UPDATE SET requested_at = excluded.requested_at, "
        "since = CASE WHEN excluded.since < recoveries.since THEN excluded.since ELSE recoveries.since END, "
        "until = CASE WHEN excluded.until > recoveries.until THEN excluded.until ELSE recoveries.until END, "
        "done_up_to = NULL",
        {recovery.channel.text(), recovery.project.text(), sql(recovery.requested_at), sql(recovery.since),
         sql(recovery.until)});
  }

  // Later deliveries in a lane wait for earlier ones. A charge's first event has none before it.
  void flush() {
    insert_deliveries(database_, gathered_);
    LaneKeys lanes;
    for (const auto& delivery : gathered_) {
      if (delivery.charge && delivery.sequence > 1) lanes.emplace(delivery.channel, *delivery.charge);
    }
    hold_back(database_, lanes);
    gathered_.clear();
  }

 private:
  SqlDatabase& database_;
  std::vector<NewDelivery> gathered_;
};

// A channel's health after its attempts in one batch.
ChannelHealth after(ChannelHealth health, const AttemptRecord& record) {
  if (record.status == DeliveryStatus::kDelivered) {
    health.last_success_at = record.attempt->at;
    health.consecutive_failures = 0;
    health.failing_since.reset();
    return health;
  }
  health.last_failure_at = record.attempt->at;
  ++health.consecutive_failures;
  if (!health.failing_since) health.failing_since = record.attempt->at;
  return health;
}

void update_health(SqlDatabase& database, const std::vector<AttemptRecord>& records) {
  std::map<domain::ChannelId, ChannelHealth> healths;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    auto found = healths.find(record.channel);
    if (found == healths.end())
      found = healths.emplace(record.channel, select_health(database, record.channel)).first;
    found->second = after(found->second, record);
  }
  std::vector<SqlValues> rows;
  for (const auto& [channel, health] : healths) {
    rows.push_back({channel.text(), sql_number(health.consecutive_failures), sql(health.last_success_at),
                    sql(health.last_failure_at), sql(health.failing_since)});
  }
  database.run_each(
      "INSERT INTO channel_health (channel, consecutive_failures, last_success_at, last_failure_at, "
      "failing_since) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (channel) DO UPDATE SET "
      "consecutive_failures = $2, last_success_at = $3, last_failure_at = $4, failing_since = $5",
      rows);
}

std::string_view outcome_of(const AttemptRecord& record) {
  return attempt_outcome(record.attempt->http_status, record.status == DeliveryStatus::kDelivered);
}

void count_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records) {
  std::map<std::string_view, std::int64_t> counts;
  for (const auto& record : records) {
    if (record.attempt) ++counts[outcome_of(record)];
  }
  std::vector<SqlValues> rows;
  for (const auto& [outcome, count] : counts) rows.push_back({std::string(outcome), count});
  database.run_each(
      "INSERT INTO attempt_totals (outcome, attempts) VALUES ($1, $2) ON CONFLICT (outcome) DO UPDATE SET "
      "attempts = attempt_totals.attempts + excluded.attempts",
      rows);
}

// Data that retention has removed may have been delivered. A recovery may have begun long before.
std::vector<NewDelivery> without_removed(SqlDatabase& database, std::vector<NewDelivery> missed) {
  if (const auto before = select_pruned_before(database))
    std::erase_if(missed, [&](const NewDelivery& delivery) { return delivery.created_at < *before; });
  return missed;
}

// Changes of the rows by events and attempts, each batch in one transaction with the cursor. New deliveries
// are collected and inserted together: they are nearly all changes, and a statement costs more than a row.
// Any other change flushes them first, which keeps the order of events. After each batch the affected lanes
// get their times (delivery_rows.h).

// In order.
void apply_changes(SqlDatabase& database, const std::vector<DeliveryChange>& changes) {
  Changes apply(database);
  for (const auto& change : changes) std::visit(apply, change);
  apply.flush();
}

// For shared deliveries: gives up a stopped channel's pending deliveries first, in several transactions,
// because statements there have a timeout. Call it before the changes are applied.
void stop_in_steps(SqlDatabase& database, const std::vector<DeliveryChange>& changes) {
  if (!database.is_shared()) return;
  const auto stop_some = [&](const ChannelStopped& stopped) {
    SqlTransaction transaction(database);
    const auto done = database.run(
        "UPDATE deliveries SET status = 2 WHERE number IN (SELECT number FROM deliveries "
        "WHERE channel = $1 AND status = 0 AND event <> -1 LIMIT $2)",
        {stopped.channel.text(), sql_number(kStoppedAtOnce)});
    transaction.commit();
    return done.changed;
  };
  for (const auto& change : changes) {
    const auto* stopped = std::get_if<ChannelStopped>(&change);
    while (stopped && stop_some(*stopped) == kStoppedAtOnce) continue;
  }
}

// For a recovery: inserts missing deliveries and requeues undelivered ones from `now` on. Skips those so old
// that retention may have removed them.
void apply_missed(SqlDatabase& database, const std::vector<NewDelivery>& missed, Timestamp now) {
  const auto kept = without_removed(database, missed);
  insert_missed(database, kept, now);
  LaneKeys lanes;
  for (const auto& delivery : kept) {
    if (delivery.charge) lanes.emplace(delivery.channel, *delivery.charge);
  }
  release(database, lanes, now);
}

void record_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records, Timestamp now) {
  insert_attempts(database, records);
  const auto cursor = select_cursor(database);
  update_outcomes(database, records, cursor ? cursor->position : Position());
  update_health(database, records);
  count_attempts(database, records);
  LaneKeys lanes;
  for (const auto& record : records) {
    if (record.charge) lanes.emplace(record.channel, *record.charge);
  }
  release(database, lanes, now);
}

}  // namespace

DeliveryRepository::DeliveryRepository(const std::filesystem::path& file)
    : DeliveryRepository(open_sqlite(file, "rwc")) {}

DeliveryRepository::DeliveryRepository(std::unique_ptr<SqlDatabase> database)
    : database_(std::move(database)) {
  begin_to_write_deliveries(*database_);
}

std::optional<eventstore::LogCursor> DeliveryRepository::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*database_);
}

void DeliveryRepository::begin_work(const std::optional<eventstore::LogCursor>& start) {
  const std::lock_guard lock(mutex_);
  stores::begin_work(*database_, start);
}

void DeliveryRepository::add(const std::vector<DeliveryChange>& changes,
                             const eventstore::LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  stop_in_steps(*database_, changes);
  SqlTransaction transaction(*database_);
  apply_changes(*database_, changes);
  save_cursor(*database_, cursor);
  transaction.commit();
}

void DeliveryRepository::record(const std::vector<AttemptRecord>& records, Timestamp now) {
  if (records.empty()) return;
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  record_attempts(*database_, records, now);
  transaction.commit();
}

std::optional<RecoveryProgress> DeliveryRepository::next_recovery(
    const std::optional<domain::ProjectId>& after) const {
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(
      "SELECT channel, project, requested_at, since, until, done_up_to FROM recoveries "
      "WHERE done_up_to IS NULL OR done_up_to <> $2 ORDER BY project <= $1, project, requested_at LIMIT 1",
      {after ? after->text() : std::string(), kRecoveryWaits});
  if (found.rows.empty()) return std::nullopt;
  const auto& row = found.rows.front();
  auto id = domain::ChannelId::parse(row.text(0));
  auto owner = domain::ProjectId::parse(row.text(1));
  if (!id || !owner) throw DataDamaged("a row of the recoveries is damaged");
  RecoveryProgress progress{.recovery = {.channel = *std::move(id),
                                         .project = *std::move(owner),
                                         .requested_at = Position(row.as<std::uint64_t>(2)),
                                         .since = Timestamp(row.integer(3)),
                                         .until = Timestamp(row.integer(4))},
                            .done_up_to = {}};
  if (!row.is_null(5)) progress.done_up_to = Position(row.as<std::uint64_t>(5));
  return progress;
}

void DeliveryRepository::advance(const Recovery& recovery, const std::vector<NewDelivery>& missed,
                                 std::optional<Position> done_up_to, Timestamp now) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  apply_missed(*database_, missed, now);
  if (done_up_to) {
    database_->run("UPDATE recoveries SET done_up_to = $1 WHERE channel = $2 AND requested_at = $3",
                   {sql(*done_up_to), recovery.channel.text(), sql(recovery.requested_at)});
  } else {
    database_->run("DELETE FROM recoveries WHERE channel = $1 AND requested_at = $2",
                   {recovery.channel.text(), sql(recovery.requested_at)});
  }
  transaction.commit();
}

bool DeliveryRepository::prune(Timestamp before, std::size_t rows_max) {
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(
      "SELECT number, created_at, status FROM deliveries WHERE number > $1 ORDER BY number LIMIT $2",
      {pruned_up_to_, sql_number(rows_max)});
  std::vector<SqlValues> old;
  for (const auto& row : found.rows) {
    if (row.integer(1) < before.millis() && row.as<DeliveryStatus>(2) != DeliveryStatus::kPending)
      old.push_back({row.integer(0)});
  }
  // Rows are in order of insertion: no old rows follow a recent one, except recovered ones, which a later
  // pass removes.
  const bool more = found.rows.size() == rows_max && found.rows.back().integer(1) < before.millis();
  pruned_up_to_ = more ? found.rows.back().integer(0) : 0;
  if (old.empty()) return more;

  SqlTransaction transaction(*database_);
  database_->run(
      "INSERT INTO retention (only_row, pruned_before) VALUES (1, $1) ON CONFLICT (only_row) DO UPDATE SET "
      "pruned_before = excluded.pruned_before WHERE retention.pruned_before < excluded.pruned_before",
      {sql(before)});
  database_->run_each("DELETE FROM attempts WHERE delivery = $1", old);
  database_->run_each("DELETE FROM deliveries WHERE number = $1", old);
  transaction.commit();
  return more;
}

void DeliveryRepository::erase_answers(const std::vector<domain::ChargeId>& charges) {
  if (charges.empty()) return;
  std::vector<SqlValues> rows;
  rows.reserve(charges.size());
  for (const auto& charge : charges) rows.push_back({charge.text()});
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  database_->run_each("INSERT INTO erased_charges (charge) VALUES ($1) ON CONFLICT (charge) DO NOTHING",
                      rows);
  // In PostgreSQL statements have a timeout, and an index finds a charge's deliveries. A file lacks that
  // index and is scanned once.
  if (database_->is_shared())
    database_->run_each(
        "UPDATE attempts SET answer = '' WHERE answer <> '' AND delivery IN "
        "(SELECT number FROM deliveries WHERE charge = $1)",
        rows);
  else
    database_->run(
        "UPDATE attempts SET answer = '' WHERE answer <> '' AND delivery IN "
        "(SELECT number FROM deliveries WHERE charge IN (SELECT charge FROM erased_charges))");
  transaction.commit();
}

bool DeliveryRepository::empty_write_ahead_log() {
  const std::lock_guard lock(mutex_);
  return forget_removed_bytes(*database_);
}

std::optional<Timestamp> DeliveryRepository::pruned_before() const {
  const std::lock_guard lock(mutex_);
  return select_pruned_before(*database_);
}

std::vector<Delivery> DeliveryRepository::due(const domain::ChannelId& channel, Timestamp now,
                                              std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(*database_,
                           "WHERE channel = $1 AND status = 0 AND next_attempt_at IS NOT NULL "
                           "AND next_attempt_at <= $2 ORDER BY next_attempt_at, number LIMIT $3",
                           {channel.text(), sql(now), sql_number(limit)});
}

std::optional<Timestamp> DeliveryRepository::next_due(const domain::ChannelId& channel,
                                                      Timestamp moment) const {
  const std::lock_guard lock(mutex_);
  const auto found = database_->run(
      "SELECT next_attempt_at FROM deliveries WHERE channel = $1 AND status = 0 "
      "AND next_attempt_at IS NOT NULL AND next_attempt_at > $2 ORDER BY next_attempt_at LIMIT 1",
      {channel.text(), sql(moment)});
  if (found.rows.empty()) return std::nullopt;
  return found.rows.front().moment(0);
}

std::vector<std::pair<domain::ChannelId, Timestamp>> DeliveryRepository::channels_with_work() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<domain::ChannelId, Timestamp>> work;
  const auto found = database_->run(
      "SELECT channel, MIN(next_attempt_at) FROM deliveries "
      "WHERE status = 0 AND next_attempt_at IS NOT NULL GROUP BY channel");
  for (const auto& row : found.rows) {
    auto id = domain::ChannelId::parse(row.text(0));
    if (!id) throw DataDamaged("a delivery of the webhook worker has an invalid channel id");
    work.emplace_back(*std::move(id), row.integer(1));
  }
  return work;
}

std::optional<Delivery> DeliveryRepository::find(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  return find_delivery(*database_, id);
}

std::vector<Delivery> DeliveryRepository::deliveries_of(const domain::ChannelId& channel,
                                                        std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_page(*database_, channel, std::nullopt, 0, limit);
}

std::vector<DeliveryAttempt> DeliveryRepository::attempts_of(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  const auto delivery = find_delivery(*database_, id);
  if (!delivery) return {};
  return select_attempts(*database_, delivery->number);
}

ChannelHealth DeliveryRepository::health(const domain::ChannelId& channel) const {
  const std::lock_guard lock(mutex_);
  return select_health(*database_, channel);
}

std::unique_ptr<DeliveryReader> DeliveryReader::open(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return nullptr;
  auto database = open_sqlite_to_read(file);
  if (!are_delivery_tables_current(*database)) return nullptr;
  return std::make_unique<DeliveryReader>(std::move(database));
}

std::optional<eventstore::LogCursor> DeliveryReader::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*database_);
}

std::optional<Delivery> DeliveryReader::find(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  return find_delivery(*database_, id);
}

std::vector<Delivery> DeliveryReader::page(const domain::ChannelId& channel,
                                           std::optional<DeliveryStatus> status, std::size_t offset,
                                           std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_page(*database_, channel, status, offset, limit);
}

std::vector<Delivery> DeliveryReader::of_events(const domain::ChannelId& channel,
                                                const std::vector<Position>& positions) const {
  std::vector<Delivery> found;
  for (const auto position : positions) {
    const std::lock_guard lock(mutex_);
    for (auto& delivery : select_of_event(*database_, channel, position))
      found.push_back(std::move(delivery));
  }
  return found;
}

std::vector<Delivery> DeliveryReader::read_after(std::int64_t number, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(*database_, "WHERE number > $1 ORDER BY number LIMIT $2",
                           {number, sql_number(limit)});
}

DeliveryReader::ProjectDeliveries DeliveryReader::read_after(const domain::ProjectId& project,
                                                             std::int64_t after,
                                                             std::int64_t numbers_max) const {
  const std::lock_guard lock(mutex_);
  // Later additions are left for the next read.
  const auto last = database_->integer("SELECT coalesce(max(number), 0) FROM deliveries");
  ProjectDeliveries found;
  found.looked_up_to = std::min(after + numbers_max, last);
  found.at_end = found.looked_up_to >= last;
  found.deliveries =
      select_deliveries(*database_, "WHERE number > $1 AND number <= $2 AND project = $3 ORDER BY number",
                        {after, found.looked_up_to, project.text()});
  return found;
}

std::size_t DeliveryReader::count(const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status) const {
  const std::lock_guard lock(mutex_);
  return count_deliveries(*database_, channel, status);
}

std::uint64_t DeliveryReader::count_not_due(const domain::ChannelId& channel, Timestamp since,
                                            Timestamp until, Timestamp now) const {
  const std::lock_guard lock(mutex_);
  return stores::count_not_due(*database_, channel, since, until, now);
}

std::vector<DeliveryAttempt> DeliveryReader::attempts_of(const Delivery& delivery) const {
  const std::lock_guard lock(mutex_);
  return select_attempts(*database_, delivery.number);
}

RecentAttempts DeliveryReader::recent_attempts(const domain::ChannelId& channel, Timestamp since,
                                               const std::optional<OlderThan>& than,
                                               std::size_t deliveries_max) const {
  const std::lock_guard lock(mutex_);
  return select_recent_attempts(*database_, channel, since, than, deliveries_max);
}

std::optional<Timestamp> DeliveryReader::pruned_before() const {
  const std::lock_guard lock(mutex_);
  return select_pruned_before(*database_);
}

ChannelHealth DeliveryReader::health(const domain::ChannelId& channel) const {
  const std::lock_guard lock(mutex_);
  return select_health(*database_, channel);
}

}  // namespace pixledger::stores
