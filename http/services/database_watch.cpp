#include "http/services/database_watch.h"

namespace pixledger::http {
namespace {

constexpr std::chrono::seconds kDatabaseLookEvery{1};

struct Gauge {
  const char* name;
  const char* help;
};

constexpr Gauge kReaders{"pixledger_lmdb_readers", "Snapshots that are being read, in all processes"};
constexpr Gauge kReaderSlots{"pixledger_lmdb_reader_slots", "Taken places in the table of readers"};
constexpr Gauge kReaderLag{"pixledger_lmdb_oldest_reader_lag_transactions",
                           "How many transactions the oldest reader's snapshot is behind the newest"};
constexpr Gauge kReaderAge{"pixledger_lmdb_oldest_reader_age_seconds",
                           "For how long the oldest reader has held a snapshot that is not the newest"};
constexpr Gauge kMapBytes{"pixledger_lmdb_map_bytes", "The most that the environment can hold"};
constexpr Gauge kUsedBytes{"pixledger_lmdb_used_bytes", "Pages of the map that were ever used"};
constexpr Gauge kFileBytes{"pixledger_lmdb_file_bytes", "Size of the data file"};

void add(prometheus::MetricFamily& family, const std::string& database, double value) {
  auto& metric = family.metric.emplace_back();
  metric.label = {{"store", database}};
  metric.gauge.value = value;
}

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
  // Said once, not every second.
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
  std::vector<prometheus::MetricFamily> families;
  for (const auto& gauge :
       {kReaders, kReaderSlots, kReaderLag, kReaderAge, kMapBytes, kUsedBytes, kFileBytes})
    families.push_back({gauge.name, gauge.help, prometheus::MetricType::Gauge, {}});
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto& database : databases_) {
    const auto stats = eventstore::lmdb_stats(*database.watched.environment());
    note(database, stats, now);
    const auto& name = database.watched.name;
    const auto& lagging = database.lagging;
    add(families[0], name, static_cast<double>(stats.readers));
    add(families[1], name, static_cast<double>(stats.reader_slots));
    add(families[2], name, lagging ? static_cast<double>(stats.last_transaction - lagging->transaction) : 0);
    add(families[3], name, lagging ? std::chrono::duration<double>(now - lagging->since).count() : 0);
    add(families[4], name, static_cast<double>(stats.map_bytes));
    add(families[5], name, static_cast<double>(stats.used_bytes));
    add(families[6], name, static_cast<double>(stats.file_bytes));
  }
  return families;
}

}  // namespace pixledger::http
