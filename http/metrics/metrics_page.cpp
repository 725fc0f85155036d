#include "http/metrics/metrics_page.h"

#include <Poco/Exception.h>
#include <iterator>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace pixledger::http {
std::string MetricsPage::text() const {
  auto families = registry_.Collect();
  const auto add = [&families](std::vector<prometheus::MetricFamily> more) {
    families.insert(families.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  for (const auto& source : sources_) faults_.attempt(source.name, [&] { add(source.metrics->Collect()); });
  Families read;
  for (const auto& each : sampled()) faults_.attempt(each.name, [&] { each.add_to(read); });
  add(read.take());
  return prometheus::TextSerializer().Serialize(families);
}

prometheus::Counter& counter(prometheus::Registry& registry, const Metric& metric,
                             const LabelValues& labels) {
  prometheus::Labels named;
  for (std::size_t i = 0; i < labels.size(); ++i) named.emplace(metric.labels.at(i), labels[i]);
  return prometheus::BuildCounter().Name(metric.name).Help(metric.help).Register(registry).Add(named);
}

prometheus::Histogram& histogram(prometheus::Registry& registry, const Metric& metric,
                                 const prometheus::Histogram::BucketBoundaries& bounds) {
  return prometheus::BuildHistogram().Name(metric.name).Help(metric.help).Register(registry).Add({}, bounds);
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
