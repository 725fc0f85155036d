#include <catch2/catch.hpp>

#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

const std::pair<std::string, std::pair<std::string, std::string>> kSimulations[] = {
    {"pay", {"paid", "paidAt"}}, {"expire", {"expired", "expiredAt"}}, {"fail", {"failed", "failedAt"}}};

}  // namespace

TEST_CASE("a simulation is answered with the charge's id, status and time") {
  TestService service;
  const auto project = service.create_project();
  for (const auto& [operation, expected] : kSimulations) {
    const auto id = create_charge(service, project.test_key);
    const auto answer =
        service.send("POST", "/api/sandbox/transactions/" + id + "/" + operation, project.test_key);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    CHECK(answer.at("/success") == "true");
    CHECK(answer.at("/message") != "");
    CHECK(answer.at("/data/transactionId") == id);
    CHECK(answer.at("/data/status") == expected.first);
    CHECK(answer.at("/data/" + expected.second) == to_iso8601(service.clock().now()));
    CHECK(status_of(service, project.test_key, id) == expected.first);
  }
}

TEST_CASE("a repeated simulation gets the first answer") {
  TestService service;
  const auto project = service.create_project();
  for (const auto& [operation, expected] : kSimulations) {
    const auto id = create_charge(service, project.test_key);
    check_repeats(service, "POST", "/api/sandbox/transactions/" + id + "/" + operation, project.test_key, "",
                  [] {});
  }
}

TEST_CASE("the sandbox accepts live keys too, but no live charges") {
  TestService service;
  const auto project = service.create_project();
  const auto sandbox = create_charge(service, project.test_key);
  const auto live = create_charge(service, project.live_key);
  const auto expire = [&](const std::string& id) {
    return service.send("POST", "/api/sandbox/transactions/" + id + "/expire", project.live_key);
  };
  CHECK(outcome_of(expire(sandbox)) == "200");
  CHECK(outcome_of(expire(live)) == "400 ERR_SANDBOX_002");
}

}  // namespace pixledger::tests
