#include <catch2/catch.hpp>
#include <future>

#include "http/metrics/worker_metrics.h"

using namespace pixledger;

namespace {

// Returns how often it was collected, once it is released.
class SlowMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override {
    ++asked_;
    let_go_.get_future().wait();
    prometheus::MetricFamily family{"asked", "How often", prometheus::MetricType::Gauge, {}};
    family.metric.emplace_back().gauge.value = asked_;
    return {family};
  }
  void let_go() const { let_go_.set_value(); }

 private:
  mutable int asked_ = 0;
  mutable std::promise<void> let_go_;
};

}  // namespace

TEST_CASE("slow metrics are served from their last values, and no scrape waits for them") {
  const SlowMetrics slow;
  const http::KeptMetrics kept(slow, true);
  CHECK(kept.Collect().empty());
  slow.let_go();
  while (kept.Collect().empty()) std::this_thread::yield();
  CHECK(kept.Collect().at(0).metric.at(0).gauge.value == 1);
}

TEST_CASE("fast metrics are served with their current values") {
  const SlowMetrics quick;
  quick.let_go();
  CHECK(http::KeptMetrics(quick, false).Collect().at(0).metric.at(0).gauge.value == 1);
}
