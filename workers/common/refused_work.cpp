#include "workers/common/refused_work.h"

#include "eventstore/service_start.h"
#include "stores/sql/refusal.h"

namespace pixledger::workers {

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
