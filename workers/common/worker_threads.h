#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/process/logging.h"

namespace pixledger::workers {

// The threads of a worker, and what ended one of them. Outlives them: whoever starts a thread joins it.
class WorkerThreads {
 public:
  // `on_fault` is called on a thread that has failed, to stop the others.
  explicit WorkerThreads(std::function<void()> on_fault) : on_fault_(std::move(on_fault)) {}

  std::thread start(std::function<void()> body);
  // Throws what the first thread that failed has thrown, if any has.
  void check() const;

 private:
  const std::function<void()> on_fault_;
  mutable std::mutex mutex_;
  std::exception_ptr fault_;
};

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
