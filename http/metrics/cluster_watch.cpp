#include "http/metrics/cluster_watch.h"

#include <algorithm>

#include "base/http/metrics/families.h"
#include "stores/status/worker_state.h"

namespace pixledger::http {
namespace {

constexpr std::chrono::milliseconds kNodesLookEvery{500};

constexpr std::chrono::seconds kRedundancyLookEvery{15};

std::string hosts_of(const eventstore::Redundancy& seen) {
  std::string hosts;
  for (const auto& host : seen.hosts)
    if (!host.problem.empty()) hosts += (hosts.empty() ? "" : "; ") + host.name + ": " + host.problem;
  return hosts;
}

}  // namespace

NodeWatch::NodeWatch(const eventstore::Cluster* cluster, Logger& logger)
    : cluster_(cluster), logger_(logger) {
  if (!cluster_) return;
  thread_.emplace(Periodic::kAtOnce, kNodesLookEvery, [this] {
    look();
    look_for_losses();
  });
}

// Compares only whether there is a fault: its text may change from try to try.
void NodeWatch::look() {
  auto fault = cluster_->fault();
  if (fault.empty() == fault_.empty()) return;
  if (!fault.empty())
    logger_.error("this node cannot tell what the ledger has, and answers 503", {{"fault", fault}});
  else
    logger_.info("this node answers again");
  fault_ = std::move(fault);
}

void NodeWatch::look_for_losses() {
  const auto losses = cluster_->lost_histories();
  if (losses.empty() != has_losses_) return;
  has_losses_ = !losses.empty();
  if (!has_losses_) return logger_.info("the loss of commits was accepted");
  std::string kept_by;
  std::uint64_t events = 0;
  for (const auto& loss : losses) {
    kept_by += (kept_by.empty() ? "" : " ") + loss.node;
    events = std::max(events, loss.events);
  }
  logger_.error("PostgreSQL has lost commits that were acknowledged",
                {{"keptBy", kept_by},
                 {"events", events},
                 {"writes", cluster_->write_stop().empty() ? "go on" : "are refused"}});
}

std::uint64_t missing_hosts(const eventstore::Redundancy& seen) {
  return static_cast<std::uint64_t>(std::count_if(seen.hosts.begin(), seen.hosts.end(),
                                                  [](const auto& host) { return !host.problem.empty(); }));
}

std::uint64_t missing_standbys(const eventstore::Redundancy& seen) {
  return seen.standbys_wanted - std::min(seen.standbys, seen.standbys_wanted);
}

RedundancyWatch::RedundancyWatch(const eventstore::Cluster* cluster, Logger& logger)
    : cluster_(cluster), logger_(logger) {
  if (cluster_) thread_.emplace(Periodic::kAtOnce, kRedundancyLookEvery, [this] { look(); });
}

std::optional<eventstore::Redundancy> RedundancyWatch::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void RedundancyWatch::look() {
  auto seen = cluster_->redundancy();
  tell(seen);
  const std::lock_guard lock(mutex_);
  last_ = std::move(seen);
}

void RedundancyWatch::tell(const eventstore::Redundancy& seen) {
  const auto standbys = missing_standbys(seen);
  const auto hosts = hosts_of(seen);
  const auto missing = std::to_string(missing_hosts(seen)) + " " + std::to_string(standbys);
  const bool is_whole = hosts.empty() && standbys == 0;
  if (missing == told_ || (is_whole && told_.empty())) return;
  told_ = is_whole ? std::string() : missing;
  if (is_whole) return logger_.info("no machine of the ledger's database is missing any more");
  logger_.warning("machines of the ledger's database are missing",
                  {{"hosts", hosts}, {"standbys", seen.standbys}, {"standbysWanted", seen.standbys_wanted}});
}

std::vector<prometheus::MetricFamily> ClusterMetrics::Collect() const {
  if (!cluster_) return {};
  Families families;
  const auto waits = cluster_->turn_waits();
  families.add_histogram(Metrics::kClusterTurnWaitSeconds, waits.kBoundsSeconds, 1, waits.counts,
                         waits.sum_seconds);
  families.add(Metrics::kClusterCopyLagEvents, static_cast<double>(cluster_->lag_events()));
  families.add(Metrics::kClusterLostHistories, static_cast<double>(cluster_->lost_histories().size()));
  if (const auto seen = redundancy_.last()) {
    families.add(Metrics::kClusterMissingHosts, static_cast<double>(missing_hosts(*seen)));
    families.add(Metrics::kClusterMissingStandbys, static_cast<double>(missing_standbys(*seen)));
  }
  families.add(Metrics::kClusterUnknownCommitsTotal, static_cast<double>(cluster_->unknown_commits()));
  const auto held = cluster_->leases();
  for (const std::string worker : stores::kWorkerNames) {
    const auto is_held = std::count(held.begin(), held.end(), "pixledger-" + worker) > 0;
    families.add(Metrics::kClusterLease, is_held ? 1 : 0, {worker});
  }
  return families.take();
}

}  // namespace pixledger::http
