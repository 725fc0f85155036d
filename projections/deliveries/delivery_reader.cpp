#include "projections/deliveries/delivery_reader.h"

#include "projections/deliveries/delivery_queries.h"
#include "projections/deliveries/delivery_rows.h"
#include "projections/deliveries/delivery_schema.h"
#include "projections/storage/cursor_table.h"
#include "projections/storage/sqlite_database.h"
#include "projections/storage/sqlite_session.h"

namespace pixledger::projections {

std::unique_ptr<DeliveryReader> DeliveryReader::open(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return nullptr;
  auto database = std::make_unique<SqliteDatabase>(open_sqlite_to_read(file));
  if (!are_delivery_tables_current(*database)) return nullptr;
  return std::make_unique<DeliveryReader>(std::move(database));
}

std::optional<LogCursor> DeliveryReader::cursor() const {
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

std::vector<Delivery> DeliveryReader::read_after(std::int64_t number, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(*database_, "WHERE number > $1 ORDER BY number LIMIT $2",
                           {number, sql_number(limit)});
}

std::size_t DeliveryReader::count(const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status) const {
  const std::lock_guard lock(mutex_);
  return count_deliveries(*database_, channel, status);
}

std::uint64_t DeliveryReader::count_not_due(const domain::ChannelId& channel, domain::Timestamp since,
                                            domain::Timestamp until, domain::Timestamp now) const {
  const std::lock_guard lock(mutex_);
  return projections::count_not_due(*database_, channel, since, until, now);
}

std::vector<DeliveryAttempt> DeliveryReader::attempts_of(const Delivery& delivery) const {
  const std::lock_guard lock(mutex_);
  return select_attempts(*database_, delivery.number);
}

std::optional<domain::Timestamp> DeliveryReader::pruned_before() const {
  const std::lock_guard lock(mutex_);
  return select_pruned_before(*database_);
}

ChannelHealth DeliveryReader::health(const domain::ChannelId& channel) const {
  const std::lock_guard lock(mutex_);
  return select_health(*database_, channel);
}

}  // namespace pixledger::projections
