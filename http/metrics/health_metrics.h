#pragma once

#include <filesystem>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "http/metrics/readiness.h"

namespace pixledger::http {

// Whether the server can do its work, and what it and the data directory's file system have left.
class HealthMetrics final : public prometheus::Collectable {
 public:
  // `readiness` and `projector` outlive it. `directory`: any of the data directory.
  HealthMetrics(Readiness& readiness, const projections::Projector& projector,
                std::filesystem::path directory)
      : readiness_(readiness), projector_(projector), directory_(std::move(directory)) {}

  // Waits for read models that are behind as /readyz does.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  Readiness& readiness_;
  const projections::Projector& projector_;
  const std::filesystem::path directory_;
};

}  // namespace pixledger::http
