#include "http/metrics/cluster_metrics.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

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
  std::optional<domain::Timestamp> time_there() const override { return std::nullopt; }
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
  domain::Position erased() const override { return {}; }
  std::optional<eventstore::SeenErased> seen_erased() const override { return std::nullopt; }
  void note_erased(domain::Position) override {}

 private:
  const std::string name_ = "n1";
};

const prometheus::MetricFamily& family(const std::vector<prometheus::MetricFamily>& all,
                                       const std::string& name) {
  for (const auto& one : all)
    if (one.name == name) return one;
  throw std::runtime_error("no metric " + name);
}

}  // namespace

TEST_CASE("a node tells how it stands to the others, as the document lists") {
  const SomeCluster cluster;
  const auto all = http::ClusterMetrics(&cluster).Collect();
  std::set<std::string> told, listed;
  for (const auto& one : all) told.insert(one.name);
  std::ifstream document(tests::source_file("docs/METRICS.md"));
  for (std::string line; std::getline(document, line);)
    if (line.starts_with("| `pixledger_cluster_")) listed.insert(line.substr(3, line.find("` | ") - 3));
  CHECK(told == listed);
  CHECK(family(all, "pixledger_cluster_copy_lag_events").metric.at(0).gauge.value == 7);
  CHECK(family(all, "pixledger_cluster_unknown_commits_total").metric.at(0).counter.value == 3);
  const auto& waits = family(all, "pixledger_cluster_turn_wait_seconds").metric.at(0).histogram;
  CHECK(waits.sample_count == 3);
  CHECK(waits.sample_sum == 0.011);
  CHECK(waits.bucket.at(2).cumulative_count == 2);
  CHECK(waits.bucket.at(3).cumulative_count == 3);
  CHECK(waits.bucket.back().cumulative_count == 3);
  for (const auto& lease : family(all, "pixledger_cluster_lease").metric)
    CHECK(lease.gauge.value == (lease.label.at(0).value == "emails" ? 1 : 0));
}

TEST_CASE("a ledger of one machine has nothing to tell of others") {
  CHECK(http::ClusterMetrics(nullptr).Collect().empty());
}
