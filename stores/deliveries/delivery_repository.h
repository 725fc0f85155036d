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

// Webhooks to send, webhooks sent, and the log cursor. One SQLite file in WAL mode, or tables that machines
// share. The webhook worker writes them; others may read meanwhile (see DeliveryReader).
//
// A killed process loses nothing. The file uses synchronous=FULL until begin_work(): what a command has
// changed, and the cursor from which a worker sends its first webhook, survive a power loss. Without a cursor
// the worker would not know what it has sent. Then it uses NORMAL: a power loss may undo the last
// transactions. Rows and cursor are lost together, so the events are read again and their webhooks sent again
// with the same ids. Receivers must accept repeats in any case, and FULL would cost up to 150 fsyncs a
// second, for which the ledger's commits wait.
//
// Thread-safe: one statement at a time. Throws the database's errors, and DataDamaged if a newer
// release wrote the file.
class DeliveryRepository {
 public:
  // Creates a missing file; its directory must exist.
  explicit DeliveryRepository(const std::filesystem::path& file);
  explicit DeliveryRepository(std::unique_ptr<SqlDatabase> database);
  DeliveryRepository(const DeliveryRepository&) = delete;
  DeliveryRepository& operator=(const DeliveryRepository&) = delete;

  // Nullopt if no worker has started on this database.
  std::optional<eventstore::LogCursor> cursor() const;

  // For the worker, before it sends anything: stores the cursor, unless it is nullopt, and makes it durable.
  void begin_work(const std::optional<eventstore::LogCursor>& start);

  // Applies the changes of events up to the cursor, in order, and moves the cursor, in one transaction. A
  // delivery waits for earlier ones of its charge and channel. Existing deliveries stay unchanged.
  void add(const std::vector<DeliveryChange>& changes, const eventstore::LogCursor& cursor);

  // In one transaction; releases deliveries that waited for these. `now` is the time of release.
  void record(const std::vector<AttemptRecord>& records, Timestamp now);

  // --- recoveries ---

  // Returns a recovery that is unfinished and does not wait for its channel, from the next project after
  // `after`, so that all projects take turns. Within the project, the channel that asked first. Without
  // `after`: the first project's.
  std::optional<RecoveryProgress> next_recovery(const std::optional<domain::ProjectId>& after) const;
  // Queues missed deliveries up to a position and stores that position, in one transaction; nullopt: to the
  // end.
  void advance(const Recovery& recovery, const std::vector<NewDelivery>& missed,
               std::optional<Position> done_up_to, Timestamp now);

  // --- retention ---

  // Removes finished deliveries of events before the time, with their attempts. Scans at most `rows_max` rows
  // per call, continuing after the last call. Returns false at the end.
  bool prune(Timestamp before, std::size_t rows_max);
  // Data before this time may have been removed.
  std::optional<Timestamp> pruned_before() const;

  // --- erasure ---

  // Erases receivers' answers about these charges, and prevents storing new ones. Any process may call it.
  void erase_answers(const std::vector<domain::ChargeId>& charges);
  // Truncates the write-ahead log, which keeps old pages. False if there is a reader at the moment. Shared
  // tables have no such file.
  bool empty_write_ahead_log();

  // --- deliveries to send ---

  // Pending deliveries of a channel that are due, longest due first, at most `limit`.
  std::vector<Delivery> due(const domain::ChannelId& channel, Timestamp now, std::size_t limit) const;
  // The next due time after `now`.
  std::optional<Timestamp> next_due(const domain::ChannelId& channel, Timestamp now) const;
  // Channels with work, each with the time when it starts.
  std::vector<std::pair<domain::ChannelId, Timestamp>> channels_with_work() const;

  // --- queries that readers use too ---

  std::optional<Delivery> find(const DeliveryId& id) const;
  // Newest first.
  std::vector<Delivery> deliveries_of(const domain::ChannelId& channel, std::size_t limit) const;
  std::vector<DeliveryAttempt> attempts_of(const DeliveryId& id) const;
  ChannelHealth health(const domain::ChannelId& channel) const;

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
  std::int64_t pruned_up_to_ = 0;  // the row number where prune() continues
};

// The deliveries' file in the worker's directory.
constexpr const char* kDeliveriesFile = "deliveries.sqlite";

// Deliveries for readers, the API and the command line, while the worker writes. Thread-safe: one statement
// at a time. Throws the database's errors.
class DeliveryReader {
 public:
  // Null if no worker has created the file, or a worker of this release has not opened it yet.
  static std::unique_ptr<DeliveryReader> open(const std::filesystem::path& file);
  // The tables must be of this release.
  explicit DeliveryReader(std::unique_ptr<SqlDatabase> database) : database_(std::move(database)) {}

  // The worker's cursor; nullopt if none has started on this database.
  std::optional<eventstore::LogCursor> cursor() const;
  std::optional<Delivery> find(const DeliveryId& id) const;
  // A channel's deliveries, newest first; all statuses unless one is given.
  std::vector<Delivery> page(const domain::ChannelId& channel, std::optional<DeliveryStatus> status,
                             std::size_t offset, std::size_t limit) const;
  // Deliveries of events at these positions, in order of position; one lookup each.
  std::vector<Delivery> of_events(const domain::ChannelId& channel,
                                  const std::vector<Position>& positions) const;
  // All channels' deliveries after a number, in database order, at most `limit`.
  std::vector<Delivery> read_after(std::int64_t number, std::size_t limit) const;
  // One project's deliveries, in the same order, among the next `numbers_max` numbers after `after`.
  struct ProjectDeliveries {
    std::vector<Delivery> deliveries{};
    std::int64_t looked_up_to = 0;  // where the next read continues
    bool at_end = false;
  };
  ProjectDeliveries read_after(const domain::ProjectId& project, std::int64_t after,
                               std::int64_t numbers_max) const;
  std::size_t count(const domain::ChannelId& channel, std::optional<DeliveryStatus> status) const;
  // Pending deliveries that are not due at `now`, of events between two times, inclusive.
  std::uint64_t count_not_due(const domain::ChannelId& channel, Timestamp since, Timestamp until,
                              Timestamp now) const;
  std::vector<DeliveryAttempt> attempts_of(const Delivery& delivery) const;
  // See select_recent_attempts.
  RecentAttempts recent_attempts(const domain::ChannelId& channel, Timestamp since,
                                 const std::optional<OlderThan>& than, std::size_t deliveries_max) const;
  ChannelHealth health(const domain::ChannelId& channel) const;
  std::optional<Timestamp> pruned_before() const;

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<SqlDatabase> database_;
};

}  // namespace pixledger::stores
