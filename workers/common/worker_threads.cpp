#include "workers/common/worker_threads.h"

#include <utility>

namespace pixledger::workers {

std::thread WorkerThreads::start(std::function<void()> body) {
  return std::thread([this, body = std::move(body)] {
    try {
      body();
    } catch (...) {
      on_fault_();
      const std::lock_guard lock(mutex_);
      if (!fault_) fault_ = std::current_exception();
    }
  });
}

void WorkerThreads::check() const {
  const std::lock_guard lock(mutex_);
  if (fault_) std::rethrow_exception(fault_);
}

}  // namespace pixledger::workers
