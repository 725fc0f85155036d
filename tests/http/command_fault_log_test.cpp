#include <algorithm>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "http/metrics/command_metrics.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;

namespace {

class Counter final : public eventstore::ExecutorObserver {
 public:
  void on_batch(const eventstore::BatchReport&) override { ++batches; }
  void on_queue_full() override { ++full; }
  int batches = 0;
  int full = 0;
};

// Logs to a file.
struct World {
  tests::TemporaryDirectory directory;
  std::string path = (directory.path() / "log").string();
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  tests::FixedClock clock{Timestamp(1'790'000'000'000)};
  Logger logger{LogFormat::kText, clock, descriptor};
  Counter counter;
  http::CommandFaultLog log{counter, logger};

  World() = default;
  ~World() { ::close(descriptor); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::string logged() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
};

}  // namespace

TEST_CASE("a fault that refuses commands is logged at intervals, and every result is forwarded") {
  World world;
  world.log.on_batch({});
  CHECK(world.logged().empty());
  eventstore::BatchReport report;
  report.fault = "the ledger is full";
  for (int i = 0; i < 3; ++i) world.log.on_batch(report);
  world.log.on_queue_full();
  const auto text = world.logged();
  CHECK(text.find("error") != std::string::npos);
  CHECK(text.find("fault=\"the ledger is full\"") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(world.counter.batches == 4);
  CHECK(world.counter.full == 1);
}

TEST_CASE("commands of unknown outcome are not logged as not done") {
  World world;
  const std::vector<eventstore::Result> results{eventstore::OutcomeUnknown{"no answer"}};
  eventstore::BatchReport report;
  report.results = results;
  report.fault = "no answer";
  world.log.on_batch(report);
  CHECK(world.logged().find("it is not known yet whether commands were done") != std::string::npos);
  CHECK(world.logged().find("nothing of them is done") == std::string::npos);
}

TEST_CASE("a single command that cannot be executed is logged too") {
  World world;
  const std::vector<eventstore::Result> results{eventstore::KeyReused{}, eventstore::Unavailable{"damaged"}};
  eventstore::BatchReport report;
  report.results = results;
  world.log.on_batch(report);
  CHECK(world.logged().find("fault=damaged") != std::string::npos);
}
