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

// Says in the log when a node of a shared ledger can no longer tell what that has, as without PostgreSQL or
// room for its copy, and when PostgreSQL has lost commits; and when each is over: once each, however often it
// looks meanwhile. Owns one thread.
class NodeWatch {
 public:
  // `cluster`, which outlives it as the logger does; null: the ledger is of this machine alone, and nothing
  // is watched.
  NodeWatch(const eventstore::Cluster* cluster, Logger& logger);

 private:
  void look();
  void look_for_losses();

  const eventstore::Cluster* const cluster_;
  Logger& logger_;
  std::string fault_;        // as last said
  bool has_losses_ = false;  // likewise
  std::optional<Periodic> thread_;
};

// Looks four times a minute which machines of the shared ledger's database are missing, and says in the log
// when that begins and when it ends. Owns one thread.
class RedundancyWatch {
 public:
  // `cluster`, which outlives it as the logger does; null: the ledger is of this machine alone, and nothing
  // is watched.
  RedundancyWatch(const eventstore::Cluster* cluster, Logger& logger);

  // As last seen; nullopt: nobody has looked yet.
  std::optional<eventstore::Redundancy> last() const;

 private:
  void look();
  void tell(const eventstore::Redundancy& seen);

  const eventstore::Cluster* const cluster_;
  Logger& logger_;
  std::string told_;  // what is missing, as last said
  mutable std::mutex mutex_;
  std::optional<eventstore::Redundancy> last_;
  std::optional<Periodic> thread_;
};

// How many hosts do not answer, and how many standbys are missing.
std::uint64_t missing_hosts(const eventstore::Redundancy& seen);
std::uint64_t missing_standbys(const eventstore::Redundancy& seen);

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
