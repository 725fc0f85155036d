#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <thread>
#include <vector>

namespace pixledger::http {

// Metrics of something that may take long to tell, such as a database on another machine: it is asked on a
// thread of its own, and whoever asks here is told at once what was seen last. Nothing before the first look.
// Thread-safe.
class KeptMetrics final : public prometheus::Collectable {
 public:
  static constexpr std::chrono::seconds kLookEvery{5};

  // `source` outlives it. Not `slow`: it is asked by whoever asks here.
  KeptMetrics(const prometheus::Collectable& source, bool slow);
  // Waits for a look that is under way.
  ~KeptMetrics() override;
  KeptMetrics(const KeptMetrics&) = delete;
  KeptMetrics& operator=(const KeptMetrics&) = delete;

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void run();

  const prometheus::Collectable& source_;
  const bool slow_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  std::vector<prometheus::MetricFamily> kept_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::http
