#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <string_view>
#include <vector>

#include "base/http/transport/server.h"
#include "domain/values/environment.h"
#include "http/routing/router.h"

namespace pixledger::http {

// Requests by method, route and status, and their durations. A request costs a few atomic additions to
// preallocated numbers: prometheus-cpp's histograms lock, and its families look labels up. Zeros are left out
// of the page.
//
// Labels are bounded: requests without a route count as "unmatched", HEAD as the GET that serves it, unknown
// statuses as "other".
class RequestMetrics final : public ServerObserver, public prometheus::Collectable {
 public:
  // The routes in the router's order.
  explicit RequestMetrics(const std::vector<Route>& routes);

  void request_arrived() override;
  void request_answered(const Request& request, int status, std::chrono::nanoseconds took) override;
  void request_refused(const Request& request, int status) override;

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  using Number = std::atomic<std::uint64_t>;
  static constexpr std::size_t kStatuses = 23;  // the last stands for all others
  static constexpr std::size_t kBuckets = 16;   // the last has no upper bound

  // Of one route. Aligned to cache lines, so that routes do not slow each other down.
  struct alignas(64) Cell {
    std::array<Number, kStatuses> by_status{};
    std::array<Number, kBuckets> by_duration{};
    Number nanoseconds{0};
  };
  struct Label {
    std::string_view method;
    std::string_view route;
  };

  Cell& cell_of(const Request& request);

  std::vector<Label> labels_;  // of the routes, then of unmatched requests by method
  std::unique_ptr<Cell[]> cells_;
  const std::size_t routes_;
  std::atomic<std::int64_t> in_flight_{0};
};

// The guard's counters. The registry outlives it.
struct AccessMetrics {
  explicit AccessMetrics(prometheus::Registry& registry);

  prometheus::Counter& rate_limited(domain::Environment environment) {
    return environment == domain::Environment::kLive ? rate_limited_live : rate_limited_test;
  }

  prometheus::Counter& rate_limited_live;
  prometheus::Counter& rate_limited_test;
  prometheus::Counter& failed_authentications;          // all of them …
  prometheus::Counter& limited_failed_authentications;  // … and those answered 429
};

}  // namespace pixledger::http
