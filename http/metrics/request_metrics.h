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

// Requests by method, route and status, and how long they took. A request costs a few additions to numbers
// that were laid out at the start: prometheus-cpp's own histograms lock, and its families look labels up.
// Numbers that are still zero are left out of the page.
//
// The set of labels is bounded: a request that matched no route counts under "unmatched", HEAD under the GET
// whose route serves it, a status that the server is not known to use under "other".
class RequestMetrics final : public ServerObserver, public prometheus::Collectable {
 public:
  // The routes as the router has them, in their order.
  explicit RequestMetrics(const std::vector<Route>& routes);

  void request_arrived() override;
  void request_answered(const Request& request, int status, std::chrono::nanoseconds took) override;
  void request_refused(const Request& request, int status) override;

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  using Number = std::atomic<std::uint64_t>;
  static constexpr std::size_t kStatuses = 23;  // the last is every other one
  static constexpr std::size_t kBuckets = 16;   // the last has no upper bound

  // Of one route. In lines of its own, so that routes do not slow each other down.
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

  std::vector<Label> labels_;  // of the routes, then of the methods of unmatched requests
  std::unique_ptr<Cell[]> cells_;
  const std::size_t routes_;
  std::atomic<std::int64_t> in_flight_{0};
};

// What the guard counts. The registry outlives it.
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
