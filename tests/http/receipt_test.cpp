#include <catch2/catch.hpp>

#include "eventstore/proof/checkpoint.h"
#include "tests/support/servers/api_calls.h"
#include "tools/audit/signed_file.h"

namespace {

using namespace pixledger;
using tests::create_charge;
using tests::outcome_of;

std::string receipt_path(const std::string& id) { return "/api/v1/transactions/" + id + "/receipt"; }

}  // namespace

TEST_CASE("a receipt is the whole proof of a charge's events") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto id = create_charge(service, project.test_key);
  service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key);

  const auto answer = service.send("GET", receipt_path(id), project.test_key);

  REQUIRE(answer.status == 200);
  CHECK(answer.at("/success") == "true");
  CHECK(answer.at("/data/transactionId") == id);
  CHECK(answer.at("/data/events/0/event/type") == "ChargeCreated");
  CHECK(answer.at("/data/events/1/event/type") == "ChargePaid");
  CHECK_FALSE(answer.has("/data/events/2"));
  const auto checked = tools::check_receipt_file(answer.body, [&service](std::string_view note) {
    return eventstore::open_checkpoint(note, service.keyring().signing_key().public_key());
  });
  INFO(checked.problem.value_or("none"));
  CHECK(checked.charge);
  CHECK(checked.leaves.size() == 2);
}

TEST_CASE("a receipt is shown to the callers of the status check") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto other = service.create_project();
  const auto live = create_charge(service, project.live_key);
  const auto cannot_read = service.issue_key(project.id, domain::Environment::kSandbox,
                                             domain::ScopeSet::parse("customers:read").value());
  CHECK(outcome_of(service.send("GET", receipt_path(live), project.live_key)) == "200");
  CHECK(outcome_of(service.send("GET", receipt_path(live), other.live_key)) == "403 ERR_TRANSACTION_003");
  CHECK(outcome_of(service.send("GET", receipt_path(live), project.test_key)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("GET", receipt_path(live), cannot_read)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("GET", receipt_path(live), "")) == "401 ERR_AUTH_009");
  CHECK(outcome_of(service.send("GET", receipt_path("c0000000000000000000000aa"), project.test_key)) ==
        "404 ERR_TRANSACTION_001");
  CHECK(outcome_of(service.send("GET", receipt_path("x"), project.test_key)) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a receipt records nothing, not even that its charge is overdue") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto id = create_charge(service, project.test_key);
  service.clock().advance_millis(400LL * 24 * 60 * 60 * 1000);
  const auto head = service.log().head();
  CHECK(service.send("GET", receipt_path(id), project.test_key).status == 200);
  CHECK(service.log().head() == head);
}
