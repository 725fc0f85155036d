#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "eventstore/log/cluster.h"

namespace pixledger::http {

// How a node of a shared ledger stands to the others. Nothing on a ledger of one machine.
class ClusterMetrics final : public prometheus::Collectable {
 public:
  // `cluster` outlives it; null: the ledger is of this machine alone.
  explicit ClusterMetrics(const eventstore::Cluster* cluster) : cluster_(cluster) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const eventstore::Cluster* const cluster_;
};

}  // namespace pixledger::http
