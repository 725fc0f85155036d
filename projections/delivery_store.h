#pragma once

#include <Poco/Data/Session.h>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "projections/delivery.h"
#include "projections/log_cursor.h"

namespace pixledger::projections {

// Which webhooks are to be sent, which were, and how far the log has been read for them. One SQLite file in
// WAL mode; the webhook worker writes it, anybody may read it meanwhile.
//
// synchronous=NORMAL: a killed process loses nothing, a power loss may lose the last transactions. Rows and
// cursor are lost together then, so the events are read again and their webhooks, with the same ids, sent
// again; receivers have to bear repeats in any case. FULL would buy nothing for its fsync a transaction.
//
// Thread-safe: one statement at a time. Throws Poco::Exception when SQLite fails, std::runtime_error when a
// newer release wrote the file.
class DeliveryStore {
 public:
  // Makes the file where there is none; its directory must be there.
  explicit DeliveryStore(const std::filesystem::path& file);
  ~DeliveryStore();
  DeliveryStore(const DeliveryStore&) = delete;
  DeliveryStore& operator=(const DeliveryStore&) = delete;

  // nullopt: no worker has started on this store yet.
  std::optional<LogCursor> cursor() const;

  // Adds what the events up to the cursor ask for, and moves the cursor, in one transaction. A delivery waits
  // for the earlier ones of its charge and channel. One that is there already stays as it is.
  void add(const std::vector<NewDelivery>& deliveries, const LogCursor& cursor);

  // In one transaction; releases the deliveries that waited for these. `now` is the time of release.
  void record(const std::vector<AttemptRecord>& records, domain::Timestamp now);

  // Pending deliveries of a channel that are due, the longest due first, at most `limit`.
  std::vector<Delivery> due(const domain::ChannelId& channel, domain::Timestamp now, std::size_t limit) const;
  // When the next one becomes due after `now`.
  std::optional<domain::Timestamp> next_due(const domain::ChannelId& channel, domain::Timestamp now) const;
  // The channels that have something to do, each with the time from which on.
  std::vector<std::pair<domain::ChannelId, domain::Timestamp>> channels_with_work() const;

  std::optional<Delivery> find(const DeliveryId& id) const;
  // Newest first.
  std::vector<Delivery> deliveries_of(const domain::ChannelId& channel, std::size_t limit) const;
  // In the order of their store, those after a number; at most `limit`.
  std::vector<Delivery> read_after(std::int64_t number, std::size_t limit) const;
  std::vector<DeliveryAttempt> attempts_of(const DeliveryId& id) const;

 private:
  std::optional<domain::Timestamp> first_attempt_of(const NewDelivery& delivery) const;
  void write_cursor(const LogCursor& cursor);
  void release_lane(const domain::ChannelId& channel, const domain::ChargeId& charge, domain::Timestamp now);

  mutable std::mutex mutex_;
  mutable Poco::Data::Session session_;
};

}  // namespace pixledger::projections
