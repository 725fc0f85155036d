#include <catch2/catch.hpp>
#include <map>

#include "eventstore/proof/event_id.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using tests::create_charge;
using tests::TestService;

constexpr std::int64_t kDayMs = 86'400'000;

std::string as_of(const std::string& charge, const std::string& moment) {
  return "/api/v1/transactions/" + charge + "?asOf=" + moment;
}

std::string now_text(TestService& service) { return to_iso8601(service.clock().now()); }

std::string newest_event_id(TestService& service, const domain::ProjectId& project) {
  return eventstore::EventIds(service.keyring(), service.log(), {}, project)
      .of(service.log().head().position);
}

}  // namespace

TEST_CASE("a status check as of any moment equals the status check made then") {
  const auto seed = tests::seed_from_environment(61);
  INFO("PIXLEDGER_SEED=" << seed);
  tests::RandomNumbers random(seed);
  TestService service;
  const auto project = service.create_project();
  struct Said {
    std::string path;
    std::string body;
  };
  std::vector<Said> said;
  std::vector<std::string> charges;
  for (int step = 0; step < 120; ++step) {
    service.clock().advance_millis(1 + static_cast<std::int64_t>(random.below(3'600'000)));
    if (charges.size() < 3 || random.one_in(6)) {
      charges.push_back(create_charge(service, project.test_key));
    } else {
      const auto& charge = random.one_of(charges);
      const std::vector<std::string> operations = {
          "/api/sandbox/transactions/" + charge + "/pay", "/api/sandbox/transactions/" + charge + "/expire",
          "/api/sandbox/transactions/" + charge + "/fail", "/api/v1/transactions/" + charge + "/cancel",
          "/api/v1/transactions/" + charge + "/refund"};
      service.send("POST", random.one_of(operations), project.test_key);
    }
    // The events that the check itself records belong to the answer.
    const auto& charge = random.one_of(charges);
    const auto path = "/api/transactions/" + charge;
    const auto body = service.send("GET", path, project.test_key).body;
    const auto moment = random.one_in(2) ? now_text(service) : newest_event_id(service, project.id);
    said.push_back({path + "?asOf=" + moment, body});
  }
  const auto head = service.log().head();
  for (const auto& [path, body] : said) {
    INFO(path);
    REQUIRE(service.send("GET", path, project.test_key).body == body);
  }
  CHECK(service.log().head() == head);
}

TEST_CASE("before its creation a charge is not found") {
  TestService service;
  const auto project = service.create_project();
  const auto before = now_text(service);
  const auto cursor = newest_event_id(service, project.id);
  service.clock().advance_millis(1);
  const auto charge = create_charge(service, project.test_key);
  CHECK(tests::outcome_of(service.send("GET", as_of(charge, before), project.test_key)) ==
        "404 ERR_TRANSACTION_001");
  CHECK(tests::outcome_of(service.send("GET", as_of(charge, cursor), project.test_key)) ==
        "404 ERR_TRANSACTION_001");
  CHECK(service.send("GET", as_of(charge, now_text(service)), project.test_key).status == 200);
}

TEST_CASE("a status check as of a moment records no expiry, and shows only recorded ones") {
  TestService service;
  const auto project = service.create_project();
  const auto charge = create_charge(service, project.test_key);
  service.clock().advance_millis(3 * kDayMs);
  const auto head = service.log().head();
  for (const auto& moment : {now_text(service), std::string("2099-01-01T00:00:00Z")}) {
    const auto answer = service.send("GET", as_of(charge, moment), project.test_key);
    CHECK(answer.at("/data/status") == "waiting_payment");
  }
  CHECK(service.log().head() == head);
  CHECK(tests::status_of(service, project.test_key, charge) == "expired");
}

TEST_CASE("the customer is shown as it was then") {
  TestService service;
  const auto project = service.create_project();
  const auto charge = create_charge(service, project.test_key);
  const auto then = now_text(service);
  service.clock().advance_millis(1);
  service.send("POST", "/api/v1/customers", project.test_key, tests::customer_body("Outro Nome"));
  CHECK(service.send("GET", as_of(charge, then), project.test_key).at("/data/customer/name") ==
        "Maria Silva");
  CHECK(service.send("GET", as_of(charge, now_text(service)), project.test_key).at("/data/customer/name") ==
        "Outro Nome");
}

TEST_CASE("a caller who may not see a charge may not see its past") {
  TestService service;
  const auto project = service.create_project();
  const auto other = service.create_project();
  const auto charge = create_charge(service, project.live_key);
  const auto path = as_of(charge, now_text(service));
  CHECK(tests::outcome_of(service.send("GET", path, other.test_key)) == "403 ERR_TRANSACTION_003");
  CHECK(tests::outcome_of(service.send("GET", path, project.test_key)) == "403 ERR_AUTH_010");
}

TEST_CASE("an invalid moment is refused, together with a bad id") {
  TestService service;
  const auto project = service.create_project();
  const auto charge = create_charge(service, project.test_key);
  for (const char* moment : {"yesterday", "2026-13-01T00:00:00Z", "12", "00000000000000010000000000000000"})
    CHECK(tests::outcome_of(service.send("GET", as_of(charge, moment), project.test_key)) ==
          "400 ERR_VALIDATION_001");
  const auto both = service.send("GET", as_of("x-1", "soon"), project.test_key);
  CHECK(both.has("/details/1/field"));
  CHECK(service.send("GET", as_of(charge, ""), project.test_key).status == 200);
}
