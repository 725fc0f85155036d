#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/metrics/families.h"
#include "base/process/logging.h"

namespace pixledger::http {

// Isolates metrics that cannot be read, since the others may show why. Logs the first fault of each source,
// then one in every kPause. Thread-safe.
class MetricFaults {
 public:
  static constexpr std::chrono::minutes kPause{10};

  // The logger outlives it.
  explicit MetricFaults(Logger& logger) : logger_(logger) {}

  // Runs `read` and logs its exception. `source`: one of a small set of names.
  void attempt(const std::string& source, const std::function<void()>& read);

 private:
  void log(const std::string& source, const std::string& fault);

  Logger& logger_;
  std::mutex mutex_;
  std::map<std::string, AtMostEvery> pauses_;  // by source
};

inline constexpr std::string_view kMetricsPath = "/metrics";

// All metrics of the server in Prometheus' text format. One thread sets it up; then any may call text().
// Everything added outlives the last text().
class MetricsPage : public SampledMetrics {
 public:
  // `faults` outlives it.
  explicit MetricsPage(MetricFaults& faults) : faults_(faults) {}

  prometheus::Registry& registry() { return registry_; }
  // `name` is for the log.
  void add(std::string name, const prometheus::Collectable& source) {
    sources_.push_back({std::move(name), &source});
  }

  // Leaves out what cannot be read.
  std::string text() const;

 private:
  struct Source {
    std::string name;
    const prometheus::Collectable* metrics;
  };

  MetricFaults& faults_;
  prometheus::Registry registry_;
  std::vector<Source> sources_;
};

// A sample of one of the registry's metrics.
prometheus::Counter& counter(prometheus::Registry& registry, const Metric& metric,
                             const LabelValues& labels = {});
prometheus::Histogram& histogram(prometheus::Registry& registry, const Metric& metric,
                                 const prometheus::Histogram::BucketBoundaries& bounds);

// GET /metrics.
Reply metrics_reply(const MetricsPage& page);

}  // namespace pixledger::http
