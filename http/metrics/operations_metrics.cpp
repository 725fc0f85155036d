#include "http/metrics/operations_metrics.h"

#include "stores/status/operations_record.h"

namespace pixledger::http {
namespace {

using prometheus::MetricFamily;

MetricFamily optional_gauge(const char* name, const char* help, std::optional<double> value) {
  MetricFamily family{name, help, prometheus::MetricType::Gauge, {}};
  if (value) family.metric.emplace_back().gauge.value = *value;
  return family;
}

double seconds(Timestamp time) { return static_cast<double>(time.millis()) / 1000; }

}  // namespace

std::vector<MetricFamily> OperationsMetrics::Collect() const {
  const auto record = stores::read_operations(data_);
  const auto& backup = record.backup;
  const auto& verification = record.verification;
  const bool has_backup = backup && backup->last_success_at;
  std::vector<MetricFamily> families;
  families.push_back(
      optional_gauge("pixledger_last_backup_timestamp_seconds",
                     "When the last backup that succeeded ended, as a Unix time; 0 before the first",
                     has_backup ? seconds(*backup->last_success_at) : 0));
  families.push_back(optional_gauge("pixledger_last_verify_timestamp_seconds",
                                    "When the last verification ended, as a Unix time; 0 before the first",
                                    verification ? seconds(verification->ended_at) : 0));
  families.push_back(optional_gauge(
      "pixledger_last_verify_result", "1 when the last verification found all sound, 0 when it did not",
      verification ? std::optional(verification->sound ? 1.0 : 0.0) : std::nullopt));
  return families;
}

}  // namespace pixledger::http
