
#include <algorithm>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

#include "http/metrics/metrics_page.h"
#include "http/metrics/worker_metrics.h"
#include "stores/status/worker_state.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/servers/test_service.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;

namespace {

// Logs to a file.
struct World {
  tests::TemporaryDirectory directory;
  std::string path = (directory.path() / "log").string();
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  tests::FixedClock clock{Timestamp(1'790'000'000'000)};
  Logger logger{LogFormat::kText, clock, descriptor};
  http::MetricFaults faults{logger};

  World() = default;
  ~World() { ::close(descriptor); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::string logged() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a metric that cannot be read is left out of the page, and the reason is logged at intervals") {
  World world;
  http::MetricsPage page(world.faults);
  page.sample(Metrics::kHttpConnections, [] { return 1; });
  for (const auto& metric : {Metrics::kLedgerEvents, Metrics::kViewsKept})
    page.sample(metric, []() -> double { throw std::runtime_error("the disk is gone"); });
  for (int i = 0; i < 3; ++i) {
    CHECK(tests::metric(page.text(), "pixledger_http_connections") == 1);
    CHECK_FALSE(contains(page.text(), "pixledger_ledger_events"));
  }
  const auto text = world.logged();
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  for (const std::string source :
       {"metrics=pixledger_ledger_events", "metrics=pixledger_views_kept", "fault=\"the disk is gone\""})
    CHECK(contains(text, source));
}

TEST_CASE("for a worker's unreadable database only its own metrics are missing, and the reason is logged") {
  World world;
  const auto workers = world.directory.path() / "workers";
  const auto file = stores::kWebhookDatabase.in(workers);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << std::string(4096, 'x');
  const eventstore::MemoryLog log({"000102030405060708090a0b0c0d0e0f", 1});
  const http::WorkerMetrics metrics(workers, log, world.clock, tests::test_lmdb_options(), world.faults);
  http::MetricsPage page(world.faults);
  page.add("workers", metrics);
  CHECK(contains(page.text(), "pixledger_emails_unsent 0"));
  CHECK_FALSE(contains(page.text(), "pixledger_deliveries_pending 0"));
  CHECK(contains(world.logged(), "metrics=\"pending deliveries\""));
}
