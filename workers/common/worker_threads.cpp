#include "workers/common/worker_threads.h"

#include <utility>

#include "eventstore/service_start.h"
#include "stores/sql/refusal.h"

namespace pixledger::workers {
namespace {

// The current exception; its text includes what only this thread knows of it.
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

void RefusedWork::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stopped_.notify_all();
}

void RefusedWork::wait_or_rethrow(const std::exception& error) {
  const auto refusal = stores::refusal_of(error);
  if (!refusal) throw;
  std::unique_lock lock(mutex_);
  if (is_stopping_) throw;
  if (telling_.due()) eventstore::log_refusal(logger_, *refusal, stores::text_of(error));
  stopped_.wait_for(lock, kRetryEvery, [this] { return is_stopping_; });
}

}  // namespace pixledger::workers
