#include "http/metrics/metrics_page.h"

#include <Poco/Exception.h>
#include <iterator>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace pixledger::http {
namespace {

prometheus::ClientMetric metric_of(double value) {
  prometheus::ClientMetric metric;
  metric.gauge.value = value;
  metric.counter.value = value;
  return metric;
}

}  // namespace

void MetricsPage::sample(std::string name, std::string help, prometheus::MetricType type,
                         std::function<double()> value) {
  samples_.push_back(
      {.name = std::move(name), .help = std::move(help), .type = type, .take = [value = std::move(value)] {
         return std::vector{metric_of(value())};
       }});
}

void MetricsPage::gauge_by_environment(std::string name, std::string help,
                                       std::function<double(domain::Environment)> value) {
  auto take = [value = std::move(value)] {
    std::vector<prometheus::ClientMetric> metrics;
    for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox}) {
      metrics.push_back(metric_of(value(environment)));
      metrics.back().label = {{"environment", std::string(domain::to_string(environment))}};
    }
    return metrics;
  };
  samples_.push_back({.name = std::move(name),
                      .help = std::move(help),
                      .type = prometheus::MetricType::Gauge,
                      .take = std::move(take)});
}

void MetricsPage::sample_by(std::string label, std::string name, std::string help,
                            prometheus::MetricType type, std::function<ByLabel()> values) {
  auto take = [label = std::move(label), values = std::move(values)] {
    std::vector<prometheus::ClientMetric> metrics;
    for (auto& [of, value] : values()) {
      metrics.push_back(metric_of(value));
      metrics.back().label = {{label, std::move(of)}};
    }
    return metrics;
  };
  samples_.push_back(
      {.name = std::move(name), .help = std::move(help), .type = type, .take = std::move(take)});
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
      families.push_back({sample.name, sample.help, sample.type, sample.take()});
    });
  }
  return prometheus::TextSerializer().Serialize(families);
}

Reply metrics_reply(const MetricsPage& page) { return {.body = page.text(), .content_type = kMetricsText}; }

void MetricFaults::attempt(const std::string& source, const std::function<void()>& read) {
  try {
    read();
  } catch (const Poco::Exception& error) {
    log(source, error.displayText());
  } catch (const std::exception& error) {
    log(source, error.what());
  }
}

void MetricFaults::log(const std::string& source, const std::string& fault) {
  const std::lock_guard lock(mutex_);
  if (pauses_.try_emplace(source, kPause).first->second.due())
    logger_.warning("metrics are left out, since they cannot be read",
                    {{"metrics", source}, {"fault", fault}});
}

}  // namespace pixledger::http
