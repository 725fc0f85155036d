#include "stores/deliveries/delivery_reader.h"

#include <algorithm>

#include "stores/deliveries/delivery_queries.h"
#include "stores/deliveries/delivery_rows.h"
#include "stores/deliveries/delivery_schema.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/sqlite_database.h"
#include "stores/sql/sqlite_session.h"

namespace pixledger::stores {

std::unique_ptr<DeliveryReader> DeliveryReader::open(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return nullptr;
  auto database = std::make_unique<SqliteDatabase>(open_sqlite_to_read(file));
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
  // What is added after this is for the next look.
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
