#pragma once

#include <filesystem>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "base/platform/clock.h"
#include "http/metrics/metric_faults.h"

namespace pixledger::http {

// How the banks behind live charges are spoken to, by connection, as the providers' worker keeps it in its
// database.
class BankMetrics final : public prometheus::Collectable {
 public:
  // Clock and faults outlive it. `workers`: the directory with one for each.
  BankMetrics(std::filesystem::path workers, const Clock& clock, MetricFaults& faults)
      : workers_(std::move(workers)), clock_(clock), faults_(faults) {}

  // What cannot be read has no sample, and `faults` are told.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::filesystem::path workers_;
  const Clock& clock_;
  MetricFaults& faults_;
};

}  // namespace pixledger::http
