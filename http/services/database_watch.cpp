#include "http/services/database_watch.h"

#include "base/http/metrics/families.h"

namespace pixledger::http {
namespace {

constexpr std::chrono::seconds kDatabaseLookEvery{1};

}  // namespace

DatabaseWatch::DatabaseWatch(const std::vector<WatchedDatabase>& databases, Logger& logger,
                             std::chrono::milliseconds stuck_after)
    : logger_(logger),
      stuck_after_(stuck_after),
      databases_(databases.begin(), databases.end()),
      thread_(Periodic::kAtOnce, kDatabaseLookEvery, [this] { look(); }) {}

void DatabaseWatch::look() {
  const std::lock_guard lock(mutex_);
  std::string fault;
  try {
    for (auto& database : databases_) {
      const auto environment = database.watched.environment();
      environment->clear_stale_readers();
      const auto stats = eventstore::lmdb_stats(*environment);
      const auto now = Clock::now();
      note(database, stats, now);
      tell_if_stuck(database, stats, now);
    }
  } catch (const std::exception& error) {
    fault = error.what();
  }
  // Logged once, not every second.
  if (fault != fault_ && !fault.empty()) logger_.warning("the readers cannot be watched", {{"fault", fault}});
  fault_ = fault;
}

void DatabaseWatch::note(Database& database, const eventstore::LmdbStats& stats, Clock::time_point now) {
  if (!stats.oldest_read || *stats.oldest_read >= stats.last_transaction) {
    database.lagging.reset();
  } else if (!database.lagging || database.lagging->transaction != *stats.oldest_read) {
    database.lagging = Lagging{*stats.oldest_read, now};
  }
}

void DatabaseWatch::tell_if_stuck(Database& database, const eventstore::LmdbStats& stats,
                                  Clock::time_point now) {
  auto& lagging = database.lagging;
  if (!lagging || lagging->is_told || now - lagging->since < stuck_after_) return;
  lagging->is_told = true;
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - lagging->since);
  logger_.warning("a reader is stuck and keeps old pages: end its process",
                  {{"store", database.watched.name},
                   {"pid", stats.oldest_reader},
                   {"program", eventstore::program_of(stats.oldest_reader)},
                   {"ageS", age.count()}});
}

std::vector<prometheus::MetricFamily> DatabaseWatch::Collect() const {
  Families families;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto& database : databases_) {
    const auto stats = eventstore::lmdb_stats(*database.watched.environment());
    note(database, stats, now);
    const LabelValues labels{database.watched.name};
    const auto& lagging = database.lagging;
    families.add(Metrics::kLmdbReaders, static_cast<double>(stats.readers), labels);
    families.add(Metrics::kLmdbReaderSlots, static_cast<double>(stats.reader_slots), labels);
    families.add(Metrics::kLmdbOldestReaderLagTransactions,
                 lagging ? static_cast<double>(stats.last_transaction - lagging->transaction) : 0, labels);
    families.add(Metrics::kLmdbOldestReaderAgeSeconds,
                 lagging ? std::chrono::duration<double>(now - lagging->since).count() : 0, labels);
    families.add(Metrics::kLmdbMapBytes, static_cast<double>(stats.map_bytes), labels);
    families.add(Metrics::kLmdbUsedBytes, static_cast<double>(stats.used_bytes), labels);
    families.add(Metrics::kLmdbFileBytes, static_cast<double>(stats.file_bytes), labels);
  }
  return families.take();
}

}  // namespace pixledger::http
