#include <catch2/catch.hpp>

#include "eventstore/executor/clock_guard.h"
#include "http/metrics/command_metrics.h"
#include "tests/support/servers/test_service.h"

using namespace pixledger;
using tests::TestService;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a server whose clock has jumped is not ready, until the clock is right or accepted") {
  TestService service;
  const auto right = service.clock().now();
  CHECK(service.send("GET", "/readyz", "").status == 200);
  service.clock().set_wall_clock(right.plus_millis(3'600'000));
  const auto answer = service.send("GET", "/readyz", "");
  CHECK(answer.status == 503);
  CHECK(answer.headers.at("Retry-After") == "1");
  CHECK(answer.at("/code") == "ERR_HTTP_503");
  CHECK(answer.at("/details/0/field") == "ledger");
  CHECK(contains(answer.at("/details/0/reason"), "the clock jumped by 3600 seconds"));
  CHECK(service.send("GET", "/healthz", "").status == 200);

  service.clock().set_wall_clock(right);
  CHECK(service.send("GET", "/readyz", "").status == 200);
  service.clock().set_wall_clock(right.plus_millis(3'600'000));
  CHECK(service.send("GET", "/readyz", "").status == 503);
  service.log().accept_clock(eventstore::read_clock(service.clock()));
  CHECK(service.send("GET", "/readyz", "").status == 200);
}

TEST_CASE("a server whose ledger is full is not ready, and tries again after a while") {
  tests::TestServiceOptions options;
  options.ledger.map_bytes = std::size_t{1} << 20;
  TestService service(options);
  const auto project = service.create_project();
  constexpr int kMoreThanFits = 5000;
  int status = 201;
  for (int i = 0; i < kMoreThanFits && status == 201; ++i)
    status = service.send("POST", "/api/v1/transactions", project.test_key, tests::creation_body()).status;
  REQUIRE(status == 503);
  const auto answer = service.send("GET", "/readyz", "");
  CHECK(answer.status == 503);
  CHECK(contains(answer.at("/details/0/reason"), "takes no commands: "));
  CHECK(contains(answer.at("/details/0/reason"), "full"));
  CHECK_FALSE(contains(answer.at("/details/0/reason"), "/"));
  CHECK(tests::metric(service.metrics(), "pixledger_failed_batches_total") == 1);
  CHECK(tests::metric(service.metrics(), "pixledger_commands_total{outcome=\"unavailable\"}") == 1);

  service.clock().advance_millis(http::CommandMetrics::kFaultStandsMs);
  CHECK(service.send("GET", "/readyz", "").status == 200);
}
