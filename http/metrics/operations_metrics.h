#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "base/platform/data_directory.h"

namespace pixledger::http {

// When the data directory was last backed up and verified, and what that came to.
class OperationsMetrics final : public prometheus::Collectable {
 public:
  explicit OperationsMetrics(DataDirectory data) : data_(std::move(data)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const DataDirectory data_;
};

}  // namespace pixledger::http
