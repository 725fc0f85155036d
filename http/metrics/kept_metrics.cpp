#include "http/metrics/kept_metrics.h"

namespace pixledger::http {

KeptMetrics::KeptMetrics(const prometheus::Collectable& source, bool slow) : source_(source), slow_(slow) {
  if (slow_) thread_ = std::thread([this] { run(); });
}

KeptMetrics::~KeptMetrics() {
  if (!slow_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

std::vector<prometheus::MetricFamily> KeptMetrics::Collect() const {
  if (!slow_) return source_.Collect();
  const std::lock_guard lock(mutex_);
  return kept_;
}

void KeptMetrics::run() {
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    auto seen = source_.Collect();
    lock.lock();
    kept_ = std::move(seen);
  } while (!stop_.wait_for(lock, kLookEvery, [this] { return stopping_; }));
}

}  // namespace pixledger::http
