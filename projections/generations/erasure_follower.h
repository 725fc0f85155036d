#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/platform/data_directory.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/reading/erasure.h"

namespace pixledger::projections {

// Where customers' erasures were recorded, after the one position and up to the other.
std::vector<Position> erasures_between(const eventstore::Log& log, Position after, Position last);

// Erasures that a node has not done its part of yet, and the position up to which it knows.
struct PendingErasures {
  std::vector<eventstore::Erasure> erasures;
  Position up_to;
};
// Throws LogUnavailable, and LogCorrupt.
PendingErasures pending_erasures(const eventstore::Log& log, const eventstore::Cluster& cluster);

struct ErasureFollowerOptions {
  std::chrono::milliseconds look_every{1000};
  std::chrono::milliseconds retry_every{5000};
  std::chrono::milliseconds patience{30'000};  // with snapshots that are being read, and read models
};

// Does a node's part of customers' erasures that were asked for at any node: takes the personal data out of
// its copy and its read models, and notes it where all can see it, again where that was lost. Owns one
// thread. What it is given outlives it.
class ErasureFollower {
 public:
  // `on_fault` is told, on the thread, why it did not succeed; it goes on trying.
  ErasureFollower(DataDirectory data, eventstore::LedgerLog& log, eventstore::Cluster& cluster,
                  std::function<void(const std::string&)> on_fault, ErasureFollowerOptions options = {});
  // Waits for what is under way.
  ~ErasureFollower();
  ErasureFollower(const ErasureFollower&) = delete;
  ErasureFollower& operator=(const ErasureFollower&) = delete;

 private:
  void run();
  // How long to wait until the next look.
  std::chrono::milliseconds look();
  // Whether what was noted is not there any more, as when the node was taken for one that is gone for good.
  bool is_note_lost() const;
  void do_part();

  const DataDirectory data_;
  eventstore::LedgerLog& log_;
  eventstore::Cluster& cluster_;
  const std::function<void(const std::string&)> on_fault_;
  const ErasureFollowerOptions options_;
  Position looked_at_;  // nothing is pending up to there; of the thread alone
  bool has_looked_ = false;
  Position noted_;
  std::chrono::steady_clock::time_point noted_at_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::projections
