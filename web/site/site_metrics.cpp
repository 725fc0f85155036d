#include "web/site/site_metrics.h"

#include <algorithm>
#include <prometheus/text_serializer.h>

#include "base/process/version.h"

namespace pixledger::web {
void SiteMetrics::request_answered(const http::Request& request, int status, std::chrono::nanoseconds took) {
  --in_flight_;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(took).count();
  const auto bound = std::lower_bound(kBoundsMs.begin(), kBoundsMs.end(), ms);
  count(request, status);
  const std::lock_guard lock(mutex_);
  ++durations_.buckets[static_cast<std::size_t>(bound - kBoundsMs.begin())];
  durations_.nanoseconds += static_cast<std::uint64_t>(took.count());
}

void SiteMetrics::request_refused(const http::Request& request, int status) { count(request, status); }

void SiteMetrics::count(const http::Request& request, int status) {
  const std::string route(request.route_pattern.empty() ? "unmatched" : request.route_pattern);
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
}

http::Reply SiteMetrics::page() const {
  Families families{Metrics::kWebRequestsTotal};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [of, count] : requests_)
      families.add(Metrics::kWebRequestsTotal, static_cast<double>(count),
                   {of.first, std::to_string(of.second)});
    families.add_histogram(Metrics::kWebRequestDurationSeconds, kBoundsMs, 1e3, durations_.buckets,
                           static_cast<double>(durations_.nanoseconds) / 1e9);
  }
  families.add(Metrics::kWebRequestsInFlight, static_cast<double>(in_flight_));
  families.add(Metrics::kWebBuildInfo, 1, {kReleaseVersion});
  for (const auto& each : sampled()) each.add_to(families);
  return {.body = prometheus::TextSerializer().Serialize(families.take()),
          .content_type = http::kMetricsText};
}

}  // namespace pixledger::web
