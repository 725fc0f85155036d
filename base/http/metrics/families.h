#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <prometheus/metric_family.h>
#include <string>
#include <utility>
#include <vector>

#include "base/http/metrics/metrics.h"

namespace pixledger {

using LabelValues = std::vector<std::string>;  // in the order of the metric's labels

// Metric families with samples, in prometheus-cpp's form.
class Families {
 public:
  Families() = default;
  // Lists these first, in this order, even without samples.
  explicit Families(std::initializer_list<Metric> metrics) {
    for (const auto& metric : metrics) add(metric);
  }

  // Adds the metric without a sample if it is missing.
  prometheus::MetricFamily& add(const Metric& metric);
  void add(const Metric& metric, double value, const LabelValues& labels = {});
  // `counts`: per bucket, not cumulative, one more than `bounds`. `bounds` are in units of 1/`per_second`
  // seconds.
  template <class Bounds, class Counts>
  void add_histogram(const Metric& metric, const Bounds& bounds, double per_second, const Counts& counts,
                     double sum_seconds, const LabelValues& labels = {});

  std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

 private:
  prometheus::ClientMetric& add_sample(const Metric& metric, const LabelValues& labels);

  std::vector<prometheus::MetricFamily> families_;
};

// Metrics whose values are read at each scrape. Add metrics from one thread.
class SampledMetrics {
 public:
  using ByLabel = std::vector<std::pair<std::string, double>>;

  // One value, without labels.
  void sample(const Metric& metric, std::function<double()> read);
  // One value per value of the metric's label.
  void sample_by(const Metric& metric, std::function<ByLabel()> read);

 protected:
  struct Sampled {
    std::string name;
    // Adds nothing if reading throws.
    std::function<void(Families&)> add_to;
  };
  const std::vector<Sampled>& sampled() const { return sampled_; }

 private:
  std::vector<Sampled> sampled_;
};

template <class Bounds, class Counts>
void Families::add_histogram(const Metric& metric, const Bounds& bounds, double per_second,
                             const Counts& counts, double sum_seconds, const LabelValues& labels) {
  assert(counts.size() == bounds.size() + 1);
  auto& histogram = add_sample(metric, labels).histogram;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    histogram.sample_count += static_cast<std::uint64_t>(counts[i]);
    const auto bound = i < bounds.size() ? static_cast<double>(bounds[i]) / per_second
                                         : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({histogram.sample_count, bound});
  }
  histogram.sample_sum = sum_seconds;
}

}  // namespace pixledger
