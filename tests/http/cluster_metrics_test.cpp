#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <thread>

#include "http/metrics/cluster_watch.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/paths.h"

using namespace pixledger;

namespace {

class SomeCluster final : public eventstore::Cluster {
 public:
  const std::string& node_name() const override { return name_; }
  std::string fault() const override { return {}; }
  std::uint64_t lag_events() const override { return 7; }
  std::optional<eventstore::RowDifference> find_difference(
      const eventstore::RowComparisonOptions&) const override {
    return std::nullopt;
  }
  std::vector<std::string> leases() const override { return {"pixledger-emails"}; }
  std::optional<Timestamp> time_there() const override { return std::nullopt; }
  eventstore::TurnWaits turn_waits() const override {
    eventstore::TurnWaits waits;
    waits.counts[0] = 2;
    waits.counts[3] = 1;
    waits.sum_seconds = 0.011;
    return waits;
  }
  std::uint64_t unknown_commits() const override { return 3; }
  std::vector<eventstore::NodeState> nodes() const override { return {}; }
  std::string excess_rights() const override { return {}; }
  Position erased() const override { return {}; }
  std::optional<eventstore::SeenErased> seen_erased() const override { return std::nullopt; }
  void note_erased(Position) override {}
  std::vector<eventstore::LostHistory> lost_histories() const override { return lost_; }
  eventstore::Redundancy redundancy() const override {
    return {.hosts = {{"db1", ""}, {"db2", "does not answer"}, {"db3", ""}},
            .standbys = 1,
            .standbys_wanted = 2,
            .problem = {}};
  }
  std::string write_stop() const override {
    return lost_histories().empty() ? "" : "writes are stopped: some";
  }
  void continue_after_loss() override {}
  void tell_end_to(std::function<void(const std::string&)>) const override {}

 private:
  const std::string name_ = "n1";
  const std::vector<eventstore::LostHistory> lost_{{"n2", 3}};
};

struct Silent {
  tests::FixedClock clock{Timestamp(1'790'000'000'000)};
  mutable Logger logger{LogFormat::kText, clock, -1};
};

const prometheus::MetricFamily& family(const std::vector<prometheus::MetricFamily>& all,
                                       const std::string& name) {
  for (const auto& one : all)
    if (one.name == name) return one;
  throw std::runtime_error("no metric " + name);
}

}  // namespace

TEST_CASE("a node has the cluster metrics that the document lists") {
  const SomeCluster cluster;
  const Silent log;
  http::RedundancyWatch redundancy(&cluster, log.logger);
  while (!redundancy.last()) std::this_thread::yield();
  const auto all = http::ClusterMetrics(&cluster, redundancy).Collect();
  std::set<std::string> told, listed;
  for (const auto& one : all) told.insert(one.name);
  std::ifstream document(tests::source_file("docs/reference/metrics.md"));
  for (std::string line; std::getline(document, line);)
    if (line.starts_with("| `pixledger_cluster_")) listed.insert(line.substr(3, line.find("` | ") - 3));
  CHECK(told == listed);
  CHECK(family(all, "pixledger_cluster_copy_lag_events").metric.at(0).gauge.value == 7);
  CHECK(family(all, "pixledger_cluster_unknown_commits_total").metric.at(0).counter.value == 3);
  CHECK(family(all, "pixledger_cluster_lost_histories").metric.at(0).gauge.value == 1);
  CHECK(family(all, "pixledger_cluster_missing_hosts").metric.at(0).gauge.value == 1);
  CHECK(family(all, "pixledger_cluster_missing_standbys").metric.at(0).gauge.value == 1);
  const auto& waits = family(all, "pixledger_cluster_turn_wait_seconds").metric.at(0).histogram;
  CHECK(waits.sample_count == 3);
  CHECK(waits.sample_sum == 0.011);
  CHECK(waits.bucket.at(2).cumulative_count == 2);
  CHECK(waits.bucket.at(3).cumulative_count == 3);
  CHECK(waits.bucket.back().cumulative_count == 3);
  for (const auto& lease : family(all, "pixledger_cluster_lease").metric)
    CHECK(lease.gauge.value == (lease.label.at(0).value == "emails" ? 1 : 0));
}

TEST_CASE("a ledger of one machine has no cluster metrics") {
  const Silent log;
  const http::RedundancyWatch redundancy(nullptr, log.logger);
  CHECK(http::ClusterMetrics(nullptr, redundancy).Collect().empty());
}
