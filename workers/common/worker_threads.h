#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <thread>

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

}  // namespace pixledger::workers
