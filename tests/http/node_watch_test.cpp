#include <atomic>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <thread>
#include <unistd.h>

#include "http/metrics/cluster_watch.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;

namespace {

class FaultyCluster final : public eventstore::Cluster {
 public:
  const std::string& node_name() const override { return name_; }
  std::string fault() const override {
    const std::lock_guard lock(mutex_);
    ++asked_;
    return fault_;
  }
  std::uint64_t lag_events() const override { return 0; }
  std::optional<eventstore::RowDifference> find_difference(
      const eventstore::RowComparisonOptions&) const override {
    return std::nullopt;
  }
  std::vector<std::string> leases() const override { return {}; }
  std::optional<Timestamp> time_there() const override { return std::nullopt; }
  eventstore::TurnWaits turn_waits() const override { return {}; }
  std::uint64_t unknown_commits() const override { return 0; }
  std::vector<eventstore::NodeState> nodes() const override { return {}; }
  Position erased() const override { return {}; }
  std::optional<eventstore::SeenErased> seen_erased() const override { return std::nullopt; }
  void note_erased(Position) override {}
  std::vector<eventstore::LostHistory> lost_histories() const override {
    const std::lock_guard lock(mutex_);
    return lost_;
  }
  eventstore::Redundancy redundancy() const override { return {}; }
  std::string write_stop() const override {
    return lost_histories().empty() ? "" : "writes are stopped: some";
  }
  void continue_after_loss() override {}
  void tell_end_to(std::function<void(const std::string&)>) const override {}
  std::string excess_rights() const override { return {}; }

  void lose(std::vector<eventstore::LostHistory> lost) {
    {
      const std::lock_guard lock(mutex_);
      lost_ = std::move(lost);
    }
    become("");
  }
  // Returns after two further checks.
  void become(const std::string& fault) {
    const auto twice = set(fault) + 2;
    while (asked_ < twice) std::this_thread::yield();
  }

 private:
  int set(const std::string& fault) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    return asked_;
  }

  const std::string name_ = "n1";
  mutable std::mutex mutex_;
  std::string fault_;
  std::vector<eventstore::LostHistory> lost_;
  mutable std::atomic<int> asked_{0};
};

}  // namespace

TEST_CASE(
    "that a node cannot answer, or commits are lost, is said when it begins and when it ends, and not at "
    "each try") {
  const tests::TemporaryDirectory directory;
  const auto path = (directory.path() / "log").string();
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const tests::FixedClock clock{Timestamp(1'790'000'000'000)};
  Logger logger{LogFormat::kText, clock, descriptor};
  FaultyCluster cluster;
  {
    const http::NodeWatch watch(&cluster, logger);
    cluster.become("no room");
    cluster.become("no room, again");
    cluster.become("");
    cluster.lose({{"n2", 0}, {"n3", 596}});
    cluster.lose({{"n3", 596}});
    cluster.lose({});
    cluster.become("PostgreSQL is away");
  }
  ::close(descriptor);
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].find("fault=\"no room\"") != std::string::npos);
  CHECK(lines[1].find("this node answers again") != std::string::npos);
  for (const std::string part : {"error", "PostgreSQL has lost commits that were acknowledged",
                                 "keptBy=\"n2 n3\"", "events=596", "writes=\"are refused\""})
    CHECK(lines[2].find(part) != std::string::npos);
  CHECK(lines[3].find("the loss of commits was accepted") != std::string::npos);
  CHECK(lines[4].find("PostgreSQL is away") != std::string::npos);
}
