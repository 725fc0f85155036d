#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <string>
#include <utility>
#include <vector>

#include "base/platform/periodic.h"
#include "base/process/logging.h"
#include "eventstore/lmdb/lmdb_stats.h"

namespace pixledger::http {

// An LMDB environment to watch.
struct WatchedDatabase {
  std::string name;  // the label of its metrics
  // Called at every check, since read models may be replaced.
  std::function<std::shared_ptr<const eventstore::LmdbEnvironment>()> environment;
};

// Checks LMDB environments every second. Frees the reader slots of processes that died, which would keep all
// later pages alive. Notes how long the oldest reader has held its snapshot. Owns one thread.
class DatabaseWatch final : public prometheus::Collectable {
 public:
  // The logger and what the functions use outlive it. `stuck_after`: a reader of an old snapshot counts as
  // stuck.
  DatabaseWatch(const std::vector<WatchedDatabase>& databases, Logger& logger,
                std::chrono::milliseconds stuck_after = std::chrono::minutes(1));

  // Current values; a reader's age counts from when it was first seen to lag. Throws what lmdb_stats throws.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  using Clock = std::chrono::steady_clock;

  // A reader of the newest snapshot keeps no page alive. An older snapshot identifies its reader, since every
  // new reader gets the newest.
  struct Lagging {
    std::uint64_t transaction;
    Clock::time_point since;
    bool is_told = false;
  };
  struct Database {
    explicit Database(WatchedDatabase its_environment) : watched(std::move(its_environment)) {}
    WatchedDatabase watched;
    std::optional<Lagging> lagging;
  };

  void look();
  static void note(Database& database, const eventstore::LmdbStats& stats, Clock::time_point now);

  void tell_if_stuck(Database& database, const eventstore::LmdbStats& stats, Clock::time_point now);

  Logger& logger_;
  const std::chrono::milliseconds stuck_after_;
  mutable std::mutex mutex_;
  mutable std::vector<Database> databases_;
  std::string fault_;
  Periodic thread_;
};

}  // namespace pixledger::http
