#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/process/logging.h"

namespace pixledger::workers {

// A worker's threads, and the first fault that ended one. Must outlive the threads: their creator joins them.
class WorkerThreads {
 public:
  // Calls `on_fault` on the failed thread, to stop the others.
  explicit WorkerThreads(std::function<void()> on_fault) : on_fault_(std::move(on_fault)) {}

  std::thread start(std::function<void()> body);
  // Rethrows the first failed thread's exception, if any.
  void check() const;

 private:
  const std::function<void()> on_fault_;
  mutable std::mutex mutex_;
  std::exception_ptr fault_;
};

// Retries work while the system refuses a resource, such as disk space. A restarted worker would send again
// what was sent but not recorded. Thread-safe.
class RefusedWork {
 public:
  explicit RefusedWork(Logger& logger) : logger_(logger) {}

  // Returns the work's result and propagates its exceptions, except refusals; refusals too once the worker
  // stops.
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

  // Wakes waiting threads.
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
