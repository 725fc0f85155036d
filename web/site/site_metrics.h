#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/transport/server.h"

namespace pixledger::web {

// What the program counts, in Prometheus' text format. Put together by one thread; then for any.
class SiteMetrics final : public http::ServerObserver {
 public:
  void request_arrived() override { ++in_flight_; }
  void request_answered(const http::Request& request, int status, std::chrono::nanoseconds took) override;
  void request_refused(const http::Request& request, int status) override;

  // One number, or one for each value of the label `of`, taken when it is asked for.
  using Numbers = std::vector<std::pair<std::string, double>>;
  void counter(std::string name, std::string help, std::string of, std::function<Numbers()> take);
  void counter(std::string name, std::string help, std::function<double()> take);
  void gauge(std::string name, std::string help, std::function<double()> take);

  http::Reply page() const;

 private:
  struct Sample {
    std::string name;
    std::string help;
    bool is_counter;
    std::string label;
    std::function<Numbers()> take;
  };
  // Upper bounds of how long requests take, inclusive; the last place has none.
  static constexpr std::array<std::int64_t, 7> kBoundsMs{5, 10, 25, 100, 500, 1'000, 5'000};
  struct Duration {
    std::array<std::uint64_t, kBoundsMs.size() + 1> buckets{};
    std::uint64_t nanoseconds = 0;
  };

  void count(const http::Request& request, int status);

  std::vector<Sample> samples_;
  std::atomic<std::int64_t> in_flight_{0};
  mutable std::mutex mutex_;
  // By route and status, both of which are few.
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  Duration durations_;
};

}  // namespace pixledger::web
