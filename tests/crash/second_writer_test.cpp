#include <catch2/catch.hpp>
#include <csignal>
#include <sstream>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/crash/ledger_audit.h"
#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// A fair wait is two batches: the one under way and the one that waits. The rest is a margin for busy
// machines. Without the gate about one wait in a hundred is longer.
constexpr std::uint64_t kWaitBatchesMax = 8;
constexpr std::size_t kConnections = 16;
// Each connection of the load has one command under way, which records a customer and a charge at most.
constexpr std::uint64_t kBatchEventsMax = 2 * kConnections;

constexpr std::chrono::seconds kPatience{120};

class SecondWriter {
 public:
  SecondWriter(const LiveData& data, const std::vector<std::string>& options)
      : process_(pixledger::tests::program_file("second_writer"), arguments(data, options)) {}

  bool wait_for(const std::string& text) { return process_.wait_for_out(text, kPatience); }
  // Waits until it has made `count` charges.
  bool wait_for_charges(std::size_t count) {
    return wait_for("second-" + std::to_string(process_.pid()) + "-" + std::to_string(count - 1) + " ");
  }
  bool finish() { return process_.wait(kPatience) == 0; }
  void kill_now() {
    process_.send(SIGKILL);
    process_.wait();
  }
  // The charges that it was acknowledged: whole lines "<label> <charge id>".
  std::vector<AskedCharge> charges() const {
    std::vector<AskedCharge> charges;
    std::istringstream lines(process_.out().substr(0, process_.out().rfind('\n') + 1));
    for (AskedCharge charge;
         lines >> charge.label >> charge.id && charge.label.rfind(kLabelPrefix, 0) == 0;) {
      charge.status = 201;
      charges.push_back(charge);
    }
    return charges;
  }
  std::optional<std::uint64_t> longest_wait() const {
    const auto line = process_.out().find(kLongestWait);
    if (line == std::string::npos) return std::nullopt;
    return std::stoull(process_.out().substr(line + kLongestWait.size()));
  }

 private:
  static constexpr std::string_view kLongestWait = "longest wait: ";

  static std::vector<std::string> arguments(const LiveData& data, const std::vector<std::string>& options) {
    std::vector<std::string> all = {"--data",      data.root.string(), "--map-size",
                                    data.map_size, "--project",        data.project_id};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }

  Process process_;
};

LoadOptions load_options(const char* name) {
  LoadOptions options;
  options.name = name;
  options.connections = kConnections;
  return options;
}

struct Fixture {
  TemporaryDirectory directory;
  LiveData data = LiveData::create(directory.path() / "data");

  // Audits the whole ledger against the answers of both.
  void check(const std::vector<AskedCharge>& by_server, const std::vector<AskedCharge>& by_second) const {
    LedgerAudit audit;
    const eventstore::LmdbLog log(data.ledger(), data.lmdb());
    audit.read(log);
    audit.compare(by_server);
    audit.compare(by_second);
    audit.print();
    CHECK(audit.is_clean());
    CHECK(data.verify() == 0);
  }
};

}  // namespace

TEST_CASE("a second process that writes beside a loaded server gets its turn after a few batches") {
  const Fixture fixture;
  ServerProcess server(fixture.data);
  server.wait_until_ready();
  Load load(server.port(), fixture.data.test_key, load_options("fair"));
  REQUIRE(load.wait_for_acknowledged(100));

  SecondWriter second(fixture.data, {"--count", "300"});
  CHECK(second.finish());
  const auto by_second = second.charges();
  const auto longest = second.longest_wait();
  const auto during = load.acknowledged();
  const auto by_server = load.finish();
  REQUIRE(longest);
  WARN("longest wait " << *longest << " events, while the server acknowledged " << during << " charges");
  CHECK(*longest <= kWaitBatchesMax * kBatchEventsMax);
  CHECK(by_second.size() == 300);
  // The server shows what the other process wrote.
  CHECK(count_wrong_answers(server.port(), fixture.data.test_key, by_second) == 0);
  CHECK(count_wrong_answers(server.port(), fixture.data.test_key, by_server) == 0);
  CHECK(server.stop() == 0);
  fixture.check(by_server, by_second);
}

TEST_CASE(
    "a writer gets its turn after a few batches beside one that never pauses, thanks to the gate alone") {
  const Fixture fixture;
  SecondWriter busy(fixture.data, {"--busy"});
  REQUIRE(busy.wait_for("busy"));
  std::vector<std::string> options = {"--until-wait", std::to_string(kWaitBatchesMax), "--count"};
  SECTION("with the gate") {
    options.push_back("300");
    // A writer without processor time at its turn waits longer, too, but hardly in each of three rounds.
    std::optional<std::uint64_t> least;
    for (int round = 0; round < 3 && least.value_or(UINT64_MAX) > kWaitBatchesMax; ++round) {
      SecondWriter second(fixture.data, options);
      CHECK(second.finish());
      REQUIRE(second.longest_wait());
      least = std::min(least.value_or(UINT64_MAX), *second.longest_wait());
    }
    CHECK(*least <= kWaitBatchesMax);
  }
  SECTION("the measure finds writers without one") {
    // The busy one keeps its open file, and the second one makes another.
    REQUIRE(std::filesystem::remove(fixture.data.ledger() / "gate"));
    options.push_back("1000000");
    SecondWriter second(fixture.data, options);
    CHECK(second.finish());
    REQUIRE(second.longest_wait());
    CHECK(*second.longest_wait() > kWaitBatchesMax);
  }
}

TEST_CASE("a server goes on when a second writer is killed while it holds the write lock") {
  const Fixture fixture;
  ServerProcess server(fixture.data);
  server.wait_until_ready();
  Load load(server.port(), fixture.data.test_key, load_options("hold"));
  for (int i = 0; i < 5; ++i) {
    const auto before = load.acknowledged();
    REQUIRE(load.wait_for_acknowledged(before + 50));
    SecondWriter second(fixture.data, {"--hold"});
    REQUIRE(second.wait_for("holding"));
    second.kill_now();
  }
  REQUIRE(load.wait_for_acknowledged(load.acknowledged() + 100));
  const auto by_server = load.finish();
  CHECK(count_wrong_answers(server.port(), fixture.data.test_key, by_server) == 0);
  CHECK(server.stop() == 0);
  fixture.check(by_server, {});
}

TEST_CASE("writers that are killed in the middle of their work leave nothing half written") {
  const Fixture fixture;
  ServerProcess server(fixture.data);
  server.wait_until_ready();
  Load load(server.port(), fixture.data.test_key, load_options("killed"));
  std::vector<AskedCharge> by_second;
  for (std::size_t i = 0; i < 10; ++i) {
    SecondWriter second(fixture.data, {"--count", "100000"});
    REQUIRE(second.wait_for_charges(10 + i));
    second.kill_now();
    const auto told = second.charges();
    by_second.insert(by_second.end(), told.begin(), told.end());
    REQUIRE(load.wait_for_acknowledged(load.acknowledged() + 20));
  }
  const auto by_server = load.finish();
  CHECK(server.stop() == 0);
  fixture.check(by_server, by_second);
}

TEST_CASE("a second writer goes on when the server is killed under load") {
  const Fixture fixture;
  std::vector<AskedCharge> by_server;
  SecondWriter second(fixture.data, {"--count", "400"});
  for (int i = 0; i < 4; ++i) {
    ServerProcess server(fixture.data);
    server.wait_until_ready();
    const auto name = "dies" + std::to_string(i);
    Load load(server.port(), fixture.data.test_key, load_options(name.c_str()));
    REQUIRE(load.wait_for_acknowledged(100));
    server.kill_now();
    const auto asked = load.finish();
    by_server.insert(by_server.end(), asked.begin(), asked.end());
  }
  CHECK(second.finish());
  const auto by_second = second.charges();
  CHECK(by_second.size() == 400);
  fixture.check(by_server, by_second);
}
