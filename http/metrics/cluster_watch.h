#pragma once

#include <mutex>
#include <optional>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <string>
#include <vector>

#include "base/platform/periodic.h"
#include "base/process/logging.h"
#include "eventstore/log/cluster.h"

namespace pixledger::http {

// Logs when a node of a shared ledger cannot reach the ledger, for example without PostgreSQL or disk space
// for its copy, and when PostgreSQL has lost commits. Logs the beginning and the end of each, once. Owns one
// thread.
class NodeWatch {
 public:
  // `cluster` and the logger outlive it. A null `cluster`: the ledger is on this machine alone; watches
  // nothing.
  NodeWatch(const eventstore::Cluster* cluster, Logger& logger);

 private:
  void look();
  void look_for_losses();

  const eventstore::Cluster* const cluster_;
  Logger& logger_;
  std::string fault_;        // as last logged
  bool has_losses_ = false;  // as last logged
  std::optional<Periodic> thread_;
};

// Checks four times a minute which machines of the shared ledger's database are missing. Logs when that
// begins and ends. Owns one thread.
class RedundancyWatch {
 public:
  // `cluster` and the logger outlive it. A null `cluster`: the ledger is on this machine alone; watches
  // nothing.
  RedundancyWatch(const eventstore::Cluster* cluster, Logger& logger);

  // As last seen; nullopt before the first check.
  std::optional<eventstore::Redundancy> last() const;

 private:
  void look();
  void tell(const eventstore::Redundancy& seen);

  const eventstore::Cluster* const cluster_;
  Logger& logger_;
  std::string told_;  // what is missing, as last logged
  mutable std::mutex mutex_;
  std::optional<eventstore::Redundancy> last_;
  std::optional<Periodic> thread_;
};

// The number of hosts that do not answer, and of missing standbys.
std::uint64_t missing_hosts(const eventstore::Redundancy& seen);
std::uint64_t missing_standbys(const eventstore::Redundancy& seen);

// A node's state within a shared ledger. Empty on a ledger of one machine.
class ClusterMetrics final : public prometheus::Collectable {
 public:
  // Both outlive it. A null `cluster`: the ledger is on this machine alone.
  ClusterMetrics(const eventstore::Cluster* cluster, const RedundancyWatch& redundancy)
      : cluster_(cluster), redundancy_(redundancy) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const eventstore::Cluster* const cluster_;
  const RedundancyWatch& redundancy_;
};

}  // namespace pixledger::http
