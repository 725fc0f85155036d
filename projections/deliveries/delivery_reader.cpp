#include "projections/deliveries/delivery_reader.h"

#include "projections/deliveries/delivery_queries.h"
#include "projections/deliveries/delivery_rows.h"
#include "projections/deliveries/delivery_schema.h"
#include "projections/storage/cursor_table.h"
#include "projections/storage/sqlite_session.h"

namespace pixledger::projections {

std::unique_ptr<DeliveryReader> DeliveryReader::open(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return nullptr;
  auto session = std::make_unique<Poco::Data::Session>(open_sqlite_to_read(file));
  if (!are_delivery_tables_current(*session)) return nullptr;
  return std::unique_ptr<DeliveryReader>(new DeliveryReader(std::move(session)));
}

DeliveryReader::DeliveryReader(std::unique_ptr<Poco::Data::Session> session) : session_(std::move(session)) {}

DeliveryReader::~DeliveryReader() = default;

std::optional<LogCursor> DeliveryReader::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*session_);
}

std::optional<Delivery> DeliveryReader::find(const DeliveryId& id) const {
  const std::lock_guard lock(mutex_);
  return find_delivery(*session_, id);
}

std::vector<Delivery> DeliveryReader::page(const domain::ChannelId& channel,
                                           std::optional<DeliveryStatus> status, std::size_t offset,
                                           std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_page(*session_, channel, status, offset, limit);
}

std::vector<Delivery> DeliveryReader::read_after(std::int64_t number, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  return select_deliveries(
      *session_,
      {"WHERE number > ? ORDER BY number LIMIT ?", {}, {number, static_cast<std::int64_t>(limit)}});
}

std::size_t DeliveryReader::count(const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status) const {
  const std::lock_guard lock(mutex_);
  return count_deliveries(*session_, channel, status);
}

std::uint64_t DeliveryReader::count_not_due(const domain::ChannelId& channel, domain::Timestamp since,
                                            domain::Timestamp until, domain::Timestamp now) const {
  const std::lock_guard lock(mutex_);
  return projections::count_not_due(*session_, channel, since, until, now);
}

std::vector<DeliveryAttempt> DeliveryReader::attempts_of(const Delivery& delivery) const {
  const std::lock_guard lock(mutex_);
  return select_attempts(*session_, delivery.number);
}

std::optional<domain::Timestamp> DeliveryReader::pruned_before() const {
  const std::lock_guard lock(mutex_);
  return select_pruned_before(*session_);
}

ChannelHealth DeliveryReader::health(const domain::ChannelId& channel) const {
  const std::lock_guard lock(mutex_);
  return select_health(*session_, channel);
}

}  // namespace pixledger::projections
