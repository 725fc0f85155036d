#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "base/process/at_most_every.h"
#include "base/process/logging.h"

namespace pixledger::workers {

// Repeats a piece of work while the system refuses what it needs, such as room on the disk: what was sent and
// is not recorded yet would be sent again by a worker that began anew. Thread-safe.
class RefusedWork {
 public:
  explicit RefusedWork(Logger& logger) : logger_(logger) {}

  // Returns what the work returns, and throws what it throws that is no refusal; refusals as well once the
  // worker stops.
  template <class Work>
  auto run(const Work& work) -> decltype(work()) {
    while (true) {
      try {
        return work();
      } catch (const std::exception& error) {
        wait_or_rethrow(error);
      }
    }
  }

  // Wakes those who wait.
  void stop();

 private:
  static constexpr std::chrono::seconds kRetryEvery{2};
  static constexpr std::chrono::minutes kTellEvery{1};

  void wait_or_rethrow(const std::exception& error);

  Logger& logger_;
  AtMostEvery telling_{kTellEvery};
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopping_ = false;
};

}  // namespace pixledger::workers
