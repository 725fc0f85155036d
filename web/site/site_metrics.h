#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/http/message/reply.h"
#include "base/http/metrics/families.h"
#include "base/http/transport/server.h"

namespace pixledger::web {

// The program's metrics in Prometheus' text format. One thread sets it up; thread-safe afterwards.
class SiteMetrics final : public http::ServerObserver, public SampledMetrics {
 public:
  void request_arrived() override { ++in_flight_; }
  void request_answered(const http::Request& request, int status, std::chrono::nanoseconds took) override;
  void request_refused(const http::Request& request, int status) override;

  http::Reply page() const;

 private:
  // Inclusive upper bounds of durations; the last bucket has none.
  static constexpr std::array<std::int64_t, 7> kBoundsMs{5, 10, 25, 100, 500, 1'000, 5'000};
  struct Duration {
    std::array<std::uint64_t, kBoundsMs.size() + 1> buckets{};
    std::uint64_t nanoseconds = 0;
  };

  void count(const http::Request& request, int status);

  std::atomic<std::int64_t> in_flight_{0};
  mutable std::mutex mutex_;
  // By route and status, both of few values.
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  Duration durations_;
};

}  // namespace pixledger::web
