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

// Which webhooks are to be sent, which were, and how far the log has been read for them. One SQLite file in
// WAL mode, or tables that machines share; the webhook worker writes them, anybody may read them meanwhile
// (see DeliveryReader).
//
// In the file, synchronous=NORMAL: a killed process loses nothing, a power loss may lose the last
// transactions. Rows and cursor are lost together then, so the events are read again and their webhooks, with
// the same ids, sent again; receivers have to bear repeats in any case. FULL would buy nothing for its fsync
// a transaction.
//
// Thread-safe: one statement at a time. Throws what the database does, and WorkerDatabaseDamaged when a newer
// release wrote the file.
class DeliveryRepository {
 public:
  // Makes the file where there is none; its directory must be there.
  explicit DeliveryRepository(const std::filesystem::path& file);
  explicit DeliveryRepository(std::unique_ptr<SqlDatabase> database);
  DeliveryRepository(const DeliveryRepository&) = delete;
  DeliveryRepository& operator=(const DeliveryRepository&) = delete;

  // nullopt: no worker has started on this database yet.
  std::optional<eventstore::LogCursor> cursor() const;

  // Does what the events up to the cursor ask for, in their order, and moves the cursor, in one transaction.
  // A delivery waits for the earlier ones of its charge and channel. One that is there already stays as it
  // is.
  void add(const std::vector<DeliveryChange>& changes, const eventstore::LogCursor& cursor);

  // In one transaction; releases the deliveries that waited for these. `now` is the time of release.
  void record(const std::vector<AttemptRecord>& records, Timestamp now);

  // --- recoveries ---

  // One that is not done and does not wait for its channel, of the project that comes after this one, so that
  // all get their turns; of its channels the one that asked first. Without a project: of the first that has
  // any.
  std::optional<RecoveryProgress> next_recovery(const std::optional<domain::ProjectId>& after) const;
  // Queues what was missed up to a position, in one transaction with how far that was; nullopt: to the end.
  void advance(const Recovery& recovery, const std::vector<NewDelivery>& missed,
               std::optional<Position> done_up_to, Timestamp now);

  // --- retention ---

  // Removes deliveries of events before the moment that have come to an end, with their attempts: looks at no
  // more than `rows_max` rows, going on where the last call ended. False when it has come to the end.
  bool prune(Timestamp before, std::size_t rows_max);
  // What of before this moment there was may have been removed.
  std::optional<Timestamp> pruned_before() const;

  // --- erasure ---

  // Forgets what receivers answered about these charges, now and from now on. Any process may do it.
  void erase_answers(const std::vector<domain::ChargeId>& charges);
  // Brings the file of the write-ahead log, which keeps old pages, down to nothing. False when somebody reads
  // from it at the moment. What machines share has none.
  bool empty_write_ahead_log();

  // --- what is to be sent ---

  // Pending deliveries of a channel that are due, the longest due first, at most `limit`.
  std::vector<Delivery> due(const domain::ChannelId& channel, Timestamp now, std::size_t limit) const;
  // When the next one becomes due after `now`.
  std::optional<Timestamp> next_due(const domain::ChannelId& channel, Timestamp now) const;
  // The channels that have something to do, each with the time from which on.
  std::vector<std::pair<domain::ChannelId, Timestamp>> channels_with_work() const;

  // --- what readers ask as well ---

  std::optional<Delivery> find(const DeliveryId& id) const;
  // Newest first.
  std::vector<Delivery> deliveries_of(const domain::ChannelId& channel, std::size_t limit) const;
  std::vector<DeliveryAttempt> attempts_of(const DeliveryId& id) const;
  ChannelHealth health(const domain::ChannelId& channel) const;

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
  std::int64_t pruned_up_to_ = 0;  // the number of the row at which prune() goes on
};

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
