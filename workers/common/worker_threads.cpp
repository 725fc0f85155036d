#include "workers/common/worker_threads.h"

#include <utility>

#include "stores/sql/refusal.h"

namespace pixledger::workers {
namespace {

// The exception under way; what only this thread knows of it is in its text.
std::exception_ptr current_fault() {
  try {
    throw;
  } catch (const std::exception& error) {
    try {
      stores::rethrow_refusal(error);
    } catch (const std::exception&) {
      return std::current_exception();
    }
  } catch (...) {
  }
  return std::current_exception();
}

}  // namespace

std::thread WorkerThreads::start(std::function<void()> body) {
  return std::thread([this, body = std::move(body)] {
    try {
      body();
    } catch (...) {
      auto fault = current_fault();
      on_fault_();
      const std::lock_guard lock(mutex_);
      if (!fault_) fault_ = std::move(fault);
    }
  });
}

void WorkerThreads::check() const {
  const std::lock_guard lock(mutex_);
  if (fault_) std::rethrow_exception(fault_);
}

}  // namespace pixledger::workers
