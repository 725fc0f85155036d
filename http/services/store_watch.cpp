#include "http/services/store_watch.h"

namespace pixledger::http {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

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

void add(prometheus::MetricFamily& family, const std::string& store, double value) {
  auto& metric = family.metric.emplace_back();
  metric.label = {{"store", store}};
  metric.gauge.value = value;
}

}  // namespace

StoreWatch::StoreWatch(std::vector<WatchedStore> stores, eventstore::Logger& logger) : logger_(logger) {
  for (auto& store : stores) stores_.push_back({std::move(store), std::nullopt});
  thread_ = std::thread([this] { run(); });
}

StoreWatch::~StoreWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StoreWatch::run() {
  std::unique_lock lock(mutex_);
  do {
    look();
  } while (!changed_.wait_for(lock, kLookEvery, [this] { return stopping_; }));
}

void StoreWatch::look() {
  std::string fault;
  try {
    for (auto& store : stores_) {
      const auto environment = store.watched.environment();
      environment->clear_stale_readers();
      note(store, eventstore::lmdb_stats(*environment), Clock::now());
    }
  } catch (const std::exception& error) {
    fault = error.what();
  }
  // Said once, not every second.
  if (fault != fault_ && !fault.empty()) logger_.warning("the readers cannot be watched", {{"fault", fault}});
  fault_ = fault;
}

void StoreWatch::note(Store& store, const eventstore::LmdbStats& stats, Clock::time_point now) {
  if (!stats.oldest_read || *stats.oldest_read >= stats.last_transaction) {
    store.lagging.reset();
  } else if (!store.lagging || store.lagging->transaction != *stats.oldest_read) {
    store.lagging = Lagging{*stats.oldest_read, now};
  }
}

std::vector<prometheus::MetricFamily> StoreWatch::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  for (const auto& gauge :
       {kReaders, kReaderSlots, kReaderLag, kReaderAge, kMapBytes, kUsedBytes, kFileBytes})
    families.push_back({gauge.name, gauge.help, prometheus::MetricType::Gauge, {}});
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto& store : stores_) {
    const auto stats = eventstore::lmdb_stats(*store.watched.environment());
    note(store, stats, now);
    const auto& name = store.watched.name;
    const auto& lagging = store.lagging;
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
