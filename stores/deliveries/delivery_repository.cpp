#include "stores/deliveries/delivery_repository.h"

#include <string>

#include "base/platform/damage.h"
#include "stores/deliveries/delivery_changes.h"
#include "stores/deliveries/delivery_queries.h"
#include "stores/deliveries/delivery_rows.h"
#include "stores/deliveries/delivery_schema.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/sqlite_database.h"
#include "stores/sql/sqlite_session.h"

namespace pixledger::stores {

DeliveryRepository::DeliveryRepository(const std::filesystem::path& file)
    : DeliveryRepository(std::make_unique<SqliteDatabase>(open_sqlite(file, "rwc"))) {}

DeliveryRepository::DeliveryRepository(std::unique_ptr<SqlDatabase> database)
    : database_(std::move(database)) {
  begin_to_write_deliveries(*database_);
}

std::optional<eventstore::LogCursor> DeliveryRepository::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*database_);
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
  if (!id || !owner) throw WorkerDatabaseDamaged("a row of the recoveries is damaged");
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
  // Rows are in the order in which they were made: behind one that is young there are no old ones, but for
  // what was recovered, whose turn comes later.
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
  // In PostgreSQL a statement has only so long, and an index knows a charge's deliveries. A file has none,
  // and is gone through once.
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
    if (!id) throw WorkerDatabaseDamaged("a delivery of the webhook worker is to a channel that is none");
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

}  // namespace pixledger::stores
