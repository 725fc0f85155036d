#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/crash/ledger_audit.h"
#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/support/paths.h"
#include "tests/support/servers/process.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

std::uint32_t seed_of_this_run() {
  const char* given = std::getenv("PIXLEDGER_SEED");
  return given ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device()();
}

std::vector<std::string> leaves_of(const LiveData& data) {
  const eventstore::LmdbLog log(data.ledger(), data.lmdb());
  std::vector<std::string> leaves;
  for (auto batch = log.read_after(Position(), 1000); !batch.empty();
       batch = log.read_after(batch.back().position, 1000))
    for (const auto& event : batch) leaves.push_back(event.bytes);
  return leaves;
}

}  // namespace

TEST_CASE("a follower killed at random moments under load leaves a prefix at its target, and catches up") {
  const auto seed = seed_of_this_run();
  INFO("PIXLEDGER_SEED=" << seed);
  std::mt19937 random(seed);
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  const auto target = (directory.path() / "target").string();
  const auto program = pixledger::tests::program_file("pixledger");
  const std::vector<std::string> common{"--data", data.root.string(), "--map-size", data.map_size};
  const auto with_common = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), common.begin(), common.end());
    return arguments;
  };
  const auto restore = [&](const LiveData& to) {
    return run_process(program, {"--data", to.root.string(), "--map-size", to.map_size, "restore", target})
        .code;
  };
  ServerProcess server(data);
  server.wait_until_ready();
  Load load(server.port(), data.test_key, {"load", 4, seed});
  std::vector<std::vector<std::string>> restored;
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    {
      Process follower(program, with_common({"follow", "--to", target, "--interval", "20ms"}));
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 700));
      follower.send(SIGKILL);
      follower.wait();
    }
    const LiveData made{directory.path() / "restored", data.map_size, data.project_id, data.test_key};
    const auto code = restore(made);
    // Else it was killed before it had written its first manifest.
    REQUIRE((code == 0 || restored.empty()));
    if (code != 0) continue;
    REQUIRE(made.verify() == 0);
    restored.push_back(leaves_of(made));
    std::filesystem::remove_all(made.root);
  }
  REQUIRE(load.wait_for_acknowledged(200));
  const auto charges = load.finish();
  REQUIRE(server.stop() == 0);
  const auto last = run_process(program, with_common({"follow", "--once", "--to", target}));
  INFO(last.err);
  REQUIRE(last.code == 0);
  const LiveData made{directory.path() / "restored", data.map_size, data.project_id, data.test_key};
  REQUIRE(restore(made) == 0);
  CHECK(made.verify() == 0);
  const auto all = leaves_of(data);
  restored.push_back(leaves_of(made));
  CHECK(restored.back().size() == all.size());
  std::size_t before = 0;
  for (const auto& leaves : restored) {
    REQUIRE(leaves.size() >= before);
    REQUIRE(std::equal(leaves.begin(), leaves.end(), all.begin()));
    before = leaves.size();
  }
  REQUIRE(restored.size() > kRounds / 3);
  LedgerAudit audit;
  {
    const eventstore::LmdbLog log(made.ledger(), made.lmdb());
    audit.read(log);
  }
  audit.compare(charges);
  audit.print();
  CHECK(audit.is_clean());
}
