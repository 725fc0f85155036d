#include "http/metrics/metrics_page.h"

#include <iterator>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace pixledger::http {
namespace {

constexpr std::string_view kTextFormat = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

void MetricsPage::sample(std::string name, std::string help, prometheus::MetricType type,
                         std::function<double()> value) {
  samples_.push_back(
      {.name = std::move(name), .help = std::move(help), .type = type, .value = std::move(value)});
}

std::string MetricsPage::text() const {
  auto families = registry_.Collect();
  const auto add = [&families](std::vector<prometheus::MetricFamily> more) {
    families.insert(families.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  for (const auto& source : sources_) faults_.attempt(source.name, [&] { add(source.metrics->Collect()); });
  for (const auto& sample : samples_) {
    faults_.attempt(sample.name, [&] {
      prometheus::ClientMetric metric;
      const double value = sample.value();
      metric.gauge.value = value;
      metric.counter.value = value;
      families.push_back({sample.name, sample.help, sample.type, {std::move(metric)}});
    });
  }
  return prometheus::TextSerializer().Serialize(families);
}

Reply metrics_reply(const MetricsPage& page) { return {.body = page.text(), .content_type = kTextFormat}; }

}  // namespace pixledger::http
