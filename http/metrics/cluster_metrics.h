#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "eventstore/log/cluster.h"
#include "http/metrics/redundancy_watch.h"

namespace pixledger::http {

// How a node of a shared ledger stands to the others. Nothing on a ledger of one machine.
class ClusterMetrics final : public prometheus::Collectable {
 public:
  // `cluster` and `redundancy` outlive it; null: the ledger is of this machine alone.
  ClusterMetrics(const eventstore::Cluster* cluster, const RedundancyWatch& redundancy)
      : cluster_(cluster), redundancy_(redundancy) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const eventstore::Cluster* const cluster_;
  const RedundancyWatch& redundancy_;
};

}  // namespace pixledger::http
