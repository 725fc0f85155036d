#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/platform/data_directory.h"
#include "base/process/logging.h"
#include "eventstore/backup/target_copy.h"
#include "stores/status/follow_status.h"
#include "workers/common/worker_threads.h"

namespace pixledger::workers {

// The dependencies of a follower, all of which must outlive it.
struct TargetFollowerParts {
  const DataDirectory& data;
  const eventstore::LedgerLog& log;
  const Clock& clock;
  Logger& logger;
};

struct TargetFollowerOptions {
  std::string name;
  std::string uri;
  std::string s3_credentials;  // file; empty: from the environment
  std::chrono::milliseconds interval{};
  std::chrono::milliseconds erase_within{};
  eventstore::TargetCopyOptions copy;
};

// Keeps one target up to date: the events on one thread, the state on another, since that may take long.
class TargetFollower {
 public:
  // Throws UsageError if the URI is malformed.
  TargetFollower(const TargetFollowerParts& parts, const TargetFollowerOptions& options);
  ~TargetFollower();  // calls stop()

  // Starts the threads.
  void start();
  void stop();
  // Instead of start(): copies everything once. Returns false, after logging why, if it failed.
  bool copy_once();

  stores::FollowedTarget status() const;
  // The target is another ledger's, another epoch's or a newer release's: no try will succeed.
  bool is_hopeless() const;
  // Rethrows the first failed thread's exception, if any.
  void check() const { threads_.check(); }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  void run_events();
  void run_states();
  void round(bool at_once);
  eventstore::KeptState take_state();
  std::optional<eventstore::KeptState> take_changed_state();
  std::optional<eventstore::KeptState> store_state();
  void succeeded();
  void failed(const TargetError& error);
  bool rest(std::chrono::milliseconds time);
  std::filesystem::path directory() const { return parts_.data.worker("follow") / options_.name; }

  const TargetFollowerParts parts_;
  TargetFollowerOptions options_;
  const std::unique_ptr<Target> target_;
  const std::unique_ptr<Target> target_of_states_;
  std::optional<eventstore::TargetCopy> copy_;     // of the events' thread
  std::vector<eventstore::FileFacts> last_facts_;  // of the last state's files before they are stored
  std::uint64_t last_position_ = 0;
  std::optional<SteadyTime> erased_at_;  // when files were last written anew for it

  mutable std::mutex mutex_;  // guards the next three
  stores::FollowedTarget status_;
  std::optional<eventstore::KeptState> new_state_;
  bool wants_state_ = false;

  std::atomic<bool> is_open_ = false;  // the target was found to be ours
  std::atomic<bool> stopping_ = false;
  AtMostEvery telling_{std::chrono::minutes(1)};
  WorkerThreads threads_{[this] { stopping_ = true; }};
  std::thread events_;
  std::thread states_;
};

}  // namespace pixledger::workers
