#include <catch2/catch.hpp>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/postgres/cluster_look.h"
#include "eventstore/postgres/node_presence.h"
#include "tests/eventstore/log/log_fixtures.h"
#include "tests/support/own_cluster.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

// A node of the cluster that has written.
struct OwnNode {
  OwnNode() { commit(log, batch({record("a", 1)}, SystemClock().now())); }

  const OwnCluster cluster;
  const SharedDatabase database{cluster.primary()};
  SharedNodeDirectory node{database, "n1"};
  SharedLog& log = opened();

 private:
  SharedLog& opened() {
    node.make(database);
    return node.open();
  }
};

}  // namespace

TEST_CASE("a replaced primary that still runs is not trusted for long") {
  OwnNode own;
  auto& log = own.log;
  CHECK(log.catch_up().position == Position(1));
  {
    DeadlineWatch watch;
    PgClient standby(own.cluster.standby(), PgTimeouts{}, watch);
    REQUIRE(standby.run("SELECT pg_promote()").at(0).at(0).as<bool>());
  }
  const auto replaced_at = std::chrono::steady_clock::now();
  std::string refusal;
  while (refusal.empty()) {
    const auto asked_at = std::chrono::steady_clock::now();
    try {
      log.catch_up();
      REQUIRE(asked_at - replaced_at <= NodePresence::kGoodFor);
    } catch (const LogUnavailable& unavailable) {
      refusal = unavailable.what();
    }
  }
  CHECK_FALSE(log.fault().empty());
  // It still answers queries.
  CHECK(own.database.run("SELECT position FROM pixledger.head").at(0).at(0).as<int>() == 1);
  CHECK_FALSE(own.database.run("SELECT pg_is_in_recovery()").at(0).at(0).as<bool>());
  CHECK_THROWS_AS(log.begin_write(), LogUnavailable);
}

TEST_CASE("hosts of the URI that do not answer are reported, and missing standbys, too") {
  const OwnCluster cluster;
  const auto port = [](const LedgerUri& uri) { return uri.ports.at(0); };
  const auto look = [&](const std::vector<std::string>& ports) {
    std::string hosts;
    for (const auto& one : ports) hosts += (hosts.empty() ? "" : ",") + std::string("127.0.0.1:") + one;
    return look_at_redundancy(
        LedgerUri::parse("postgresql://postgres@" + hosts + "/postgres?target_session_attrs=read-write")
            .value());
  };
  const auto whole = look({port(cluster.primary()), port(cluster.standby())});
  CHECK(whole.problem.empty());
  CHECK(whole.standbys == 1);
  CHECK(whole.standbys_wanted == 1);
  for (const auto& host : whole.hosts) CHECK(host.problem.empty());
  // No server listens at a reserved port.
  const auto with_another = look({port(cluster.standby()), "1", port(cluster.primary())});
  REQUIRE(with_another.hosts.size() == 3);
  CHECK(with_another.hosts[0].problem.empty());
  CHECK(with_another.hosts[1].name == "127.0.0.1:1");
  CHECK_FALSE(with_another.hosts[1].problem.empty());
  CHECK(with_another.standbys == 1);
  CHECK(with_another.standbys_wanted == 2);
  cluster.stop_standby();
  auto alone = look({port(cluster.primary()), port(cluster.standby())});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (alone.standbys > 0) {
    REQUIRE(std::chrono::steady_clock::now() < until);
    alone = look({port(cluster.primary()), port(cluster.standby())});
  }
  CHECK_FALSE(alone.hosts[1].problem.empty());
  CHECK(alone.standbys_wanted == 1);
  CHECK_FALSE(look({"1"}).problem.empty());
}

TEST_CASE("a missing standby is reported as such, and not as the commits that wait for it") {
  OwnNode own;
  const auto& log = own.log;
  own.cluster.stop_standby();
  // Its own commit, waiting for a standby, locks the node's row, which hides the reason from later
  // transactions.
  const auto is_said = [&] { return log.fault().find("no standby of synchronous_standby_names") == 0; };
  DeadlineWatch watch;
  PgClient other(own.node.node().uri, PgTimeouts{}, watch);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!is_said() || missing_standby(other).empty()) {
    INFO(log.fault() << " / " << missing_standby(other));
    REQUIRE(std::chrono::steady_clock::now() < until);
  }
  CHECK(missing_standby(other).find("wait") != std::string::npos);
}
