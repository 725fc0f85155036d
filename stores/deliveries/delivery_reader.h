#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "eventstore/reading/log_cursor.h"
#include "stores/deliveries/delivery.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// Where the deliveries of a data directory are, below the worker's directory.
constexpr const char* kDeliveriesFile = "deliveries.sqlite";

// The deliveries for those who only look: the API and the command line, while the worker writes. Thread-safe:
// one statement at a time. Throws what the database does.
class DeliveryReader {
 public:
  // Null where no worker has made the file, or none of this release has opened it yet.
  static std::unique_ptr<DeliveryReader> open(const std::filesystem::path& file);
  // Of tables that are this release's.
  explicit DeliveryReader(std::unique_ptr<SqlDatabase> database) : database_(std::move(database)) {}

  // How far the worker has come; nullopt: none has started on this database yet.
  std::optional<eventstore::LogCursor> cursor() const;
  std::optional<Delivery> find(const DeliveryId& id) const;
  // A channel's deliveries, newest first. Without a status: all.
  std::vector<Delivery> page(const domain::ChannelId& channel, std::optional<DeliveryStatus> status,
                             std::size_t offset, std::size_t limit) const;
  // Those that events at these positions caused, in the order of the positions: a look-up for each.
  std::vector<Delivery> of_events(const domain::ChannelId& channel,
                                  const std::vector<Position>& positions) const;
  // Of every channel, in the order of their database: those after a number, at most `limit`.
  std::vector<Delivery> read_after(std::int64_t number, std::size_t limit) const;
  // Of one project, in the same order: those among the next `numbers_max` numbers after `after`.
  struct ProjectDeliveries {
    std::vector<Delivery> deliveries{};
    std::int64_t looked_up_to = 0;  // where the next look goes on
    bool at_end = false;
  };
  ProjectDeliveries read_after(const domain::ProjectId& project, std::int64_t after,
                               std::int64_t numbers_max) const;
  std::size_t count(const domain::ChannelId& channel, std::optional<DeliveryStatus> status) const;
  // Pending ones of events between two moments, both inclusive, that are not due at `now`.
  std::uint64_t count_not_due(const domain::ChannelId& channel, Timestamp since, Timestamp until,
                              Timestamp now) const;
  std::vector<DeliveryAttempt> attempts_of(const Delivery& delivery) const;
  // As select_recent_attempts.
  RecentAttempts recent_attempts(const domain::ChannelId& channel, Timestamp since,
                                 const std::optional<OlderThan>& than, std::size_t deliveries_max) const;
  ChannelHealth health(const domain::ChannelId& channel) const;
  std::optional<Timestamp> pruned_before() const;

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
};

}  // namespace pixledger::stores
