#include "http/metrics/cluster_watch.h"

#include <algorithm>
#include <limits>

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

using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::array kLeasedWorkers{"webhooks", "emails", "expiry", "providers"};

MetricFamily turn_wait_family(const eventstore::TurnWaits& waits) {
  MetricFamily family{"pixledger_cluster_turn_wait_seconds",
                      "How long writes of this server waited for their turn among all nodes",
                      MetricType::Histogram,
                      {}};
  auto& histogram = family.metric.emplace_back().histogram;
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < waits.counts.size(); ++i) {
    so_far += waits.counts[i];
    const auto bound =
        i < waits.kBoundsSeconds.size() ? waits.kBoundsSeconds[i] : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({.cumulative_count = so_far, .upper_bound = bound});
  }
  histogram.sample_count = so_far;
  histogram.sample_sum = waits.sum_seconds;
  return family;
}

MetricFamily count_gauge(const char* name, const char* help, std::uint64_t value) {
  MetricFamily family{name, help, MetricType::Gauge, {}};
  family.metric.emplace_back().gauge.value = static_cast<double>(value);
  return family;
}

MetricFamily lease_family(const std::vector<std::string>& held) {
  MetricFamily family{"pixledger_cluster_lease",
                      "1 while this node's worker is the one of its kind that is at work",
                      MetricType::Gauge,
                      {}};
  for (const auto* const worker : kLeasedWorkers) {
    auto& metric = family.metric.emplace_back();
    metric.label.push_back({"worker", worker});
    metric.gauge.value = std::count(held.begin(), held.end(), std::string("pixledger-") + worker) > 0 ? 1 : 0;
  }
  return family;
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

// What it says of one fault may change from try to try.
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

std::vector<MetricFamily> ClusterMetrics::Collect() const {
  if (!cluster_) return {};
  std::vector<MetricFamily> families;
  families.push_back(turn_wait_family(cluster_->turn_waits()));
  families.push_back(count_gauge(
      "pixledger_cluster_copy_lag_events",
      "Events of the ledger that this node's copy did not have when it last looked", cluster_->lag_events()));
  families.push_back(count_gauge("pixledger_cluster_lost_histories",
                                 "Losses of acknowledged commits in PostgreSQL that no operator has accepted",
                                 cluster_->lost_histories().size()));
  if (const auto seen = redundancy_.last()) {
    families.push_back(count_gauge("pixledger_cluster_missing_hosts",
                                   "Hosts of the ledger's URI that do not answer", missing_hosts(*seen)));
    families.push_back(count_gauge("pixledger_cluster_missing_standbys",
                                   "Standbys of PostgreSQL that there should be and that do not follow",
                                   missing_standbys(*seen)));
  }
  MetricFamily unknown{"pixledger_cluster_unknown_commits_total",
                       "Commits of this server that were answered 503 as nobody could tell what they came to",
                       MetricType::Counter,
                       {}};
  unknown.metric.emplace_back().counter.value = static_cast<double>(cluster_->unknown_commits());
  families.push_back(std::move(unknown));
  families.push_back(lease_family(cluster_->leases()));
  return families;
}

}  // namespace pixledger::http
