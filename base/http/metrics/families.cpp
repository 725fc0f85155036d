#include "base/http/metrics/families.h"

#include <algorithm>

namespace pixledger {

prometheus::MetricFamily& Families::add(const Metric& metric) {
  const auto found = std::find_if(families_.begin(), families_.end(),
                                  [&](const auto& family) { return family.name == metric.name; });
  if (found != families_.end()) return *found;
  return families_.emplace_back(prometheus::MetricFamily{metric.name, metric.help, metric.type, {}});
}

prometheus::ClientMetric& Families::add_sample(const Metric& metric, const LabelValues& labels) {
  auto& sample = add(metric).metric.emplace_back();
  for (std::size_t i = 0; i < labels.size(); ++i) sample.label.push_back({metric.labels.at(i), labels[i]});
  return sample;
}

void Families::add(const Metric& metric, double value, const LabelValues& labels) {
  auto& sample = add_sample(metric, labels);
  sample.gauge.value = value;
  sample.counter.value = value;
}

void SampledMetrics::sample(const Metric& metric, std::function<double()> read) {
  sampled_.push_back(
      {metric.name, [metric, read = std::move(read)](Families& families) { families.add(metric, read()); }});
}

void SampledMetrics::sample_by(const Metric& metric, std::function<ByLabel()> read) {
  sampled_.push_back({metric.name, [metric, read = std::move(read)](Families& families) {
                        const auto numbers = read();
                        families.add(metric);
                        for (const auto& [of, number] : numbers) families.add(metric, number, {of});
                      }});
}

}  // namespace pixledger
