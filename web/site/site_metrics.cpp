#include "web/site/site_metrics.h"

#include <algorithm>
#include <limits>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace pixledger::web {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

ClientMetric metric_of(double value) {
  ClientMetric metric;
  metric.gauge.value = value;
  metric.counter.value = value;
  return metric;
}

}  // namespace

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

void SiteMetrics::counter(std::string name, std::string help, std::string of, std::function<Numbers()> take) {
  samples_.push_back({std::move(name), std::move(help), true, std::move(of), std::move(take)});
}

void SiteMetrics::counter(std::string name, std::string help, std::function<double()> take) {
  counter(std::move(name), std::move(help), "", [take = std::move(take)] { return Numbers{{"", take()}}; });
}

void SiteMetrics::gauge(std::string name, std::string help, std::function<double()> take) {
  samples_.push_back({std::move(name), std::move(help), false, "", [take = std::move(take)] {
                        return Numbers{{"", take()}};
                      }});
}

http::Reply SiteMetrics::page() const {
  MetricFamily requests{
      "pixledger_web_requests_total", "Requests by route and status", MetricType::Counter, {}};
  MetricFamily durations{"pixledger_web_request_duration_seconds",
                         "Time from a request's arrival as a whole to its answer",
                         MetricType::Histogram,
                         {}};
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [of, count] : requests_) {
      auto& metric = requests.metric.emplace_back(metric_of(static_cast<double>(count)));
      metric.label = {{"route", of.first}, {"code", std::to_string(of.second)}};
    }
    auto& histogram = durations.metric.emplace_back().histogram;
    for (std::size_t i = 0; i < durations_.buckets.size(); ++i) {
      histogram.sample_count += durations_.buckets[i];
      const auto bound = i < kBoundsMs.size() ? static_cast<double>(kBoundsMs[i]) / 1e3
                                              : std::numeric_limits<double>::infinity();
      histogram.bucket.push_back({histogram.sample_count, bound});
    }
    histogram.sample_sum = static_cast<double>(durations_.nanoseconds) / 1e9;
  }
  MetricFamily in_flight{"pixledger_web_requests_in_flight",
                         "Requests that are being answered",
                         MetricType::Gauge,
                         {metric_of(static_cast<double>(in_flight_))}};
  MetricFamily build{"pixledger_web_build_info", "What is running", MetricType::Gauge, {metric_of(1)}};
  build.metric.front().label = {{"version", PIXLEDGER_VERSION}};

  std::vector<MetricFamily> families{std::move(requests), std::move(durations), std::move(in_flight),
                                     std::move(build)};
  for (const auto& sample : samples_) {
    MetricFamily family{
        sample.name, sample.help, sample.is_counter ? MetricType::Counter : MetricType::Gauge, {}};
    for (const auto& [of, value] : sample.take()) {
      auto& metric = family.metric.emplace_back(metric_of(value));
      if (!sample.label.empty()) metric.label = {{sample.label, of}};
    }
    families.push_back(std::move(family));
  }
  return {.body = prometheus::TextSerializer().Serialize(families), .content_type = http::kMetricsText};
}

}  // namespace pixledger::web
