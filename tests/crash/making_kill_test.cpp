#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

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

std::vector<std::string> making_arguments(const std::filesystem::path& data) {
  return {"--data", data.string(), "--map-size", "1GiB", "init"};
}

}  // namespace

TEST_CASE("a data directory can be made and used after its first making was killed") {
  // A making takes some tens of milliseconds, most of them syncs.
  constexpr std::uint32_t kSpreadUs = 60'000;
  const auto seed = seed_of_this_run();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 40; ++i) {
    const TemporaryDirectory directory;
    const auto data = directory.path() / "data";
    {
      Process making(pixledger::tests::program_file("pixledger"), making_arguments(data));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % kSpreadUs));
      making.send(SIGKILL);
      making.wait();
    }
    REQUIRE(LiveData::create(data).verify() == 0);
  }
}

TEST_CASE("processes that make the same data directory at the same time make one ledger") {
  for (int i = 0; i < 10; ++i) {
    const TemporaryDirectory directory;
    const auto data = directory.path() / "data";
    Process first(pixledger::tests::program_file("pixledger"), making_arguments(data));
    Process second(pixledger::tests::program_file("pixledger"), making_arguments(data));
    const auto first_code = first.wait();
    const auto second_code = second.wait();
    // One of them makes it, the other reports that it exists.
    INFO(first.err() << second.err());
    CHECK((first_code == 0 || second_code == 0));
    CHECK((first_code != 0 || second_code != 0));
    REQUIRE(LiveData::create(data).verify() == 0);
  }
}
