#include <catch2/catch.hpp>

#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

const std::string kBlock = R"({"blockType":"fraud","reason":"chargeback"})";

struct Fixture {
  HttpAnswer post(const std::string& operation, const std::string& body = "",
                  const std::string& of = "") const {
    return service.send("POST", "/api/v1/customers/" + (of.empty() ? customer : of) + "/" + operation,
                        project.test_key, body);
  }
  HttpAnswer create() const {
    return service.send("POST", "/api/v1/transactions", project.test_key, creation_body());
  }
  std::string time_after(std::int64_t millis) {
    return to_iso8601(service.clock().now().plus_millis(millis));
  }
  std::string block_until(const std::string& end) const {
    return R"({"blockType":"manual","reason":"chargeback","expiresAt":")" + end + "\"}";
  }

  TestService service;
  TestService::Project project = service.create_project();
  std::string customer =
      service.send("POST", "/api/customers", project.test_key, customer_body()).at("/data/id");
};

}  // namespace

TEST_CASE("a blocked customer is answered with its block and creates no charges") {
  Fixture fixture;
  fixture.service.clock().advance_millis(1'000);
  const auto blocked = fixture.post("block", kBlock);
  INFO(blocked.body);
  REQUIRE(blocked.status == 200);
  CHECK(blocked.at("/data/id") == fixture.customer);
  CHECK(blocked.at("/data/projectId") == fixture.project.id.text());
  CHECK(blocked.at("/data/name") == "Maria Silva");
  CHECK(blocked.at("/data/isBlocked") == "true");
  CHECK(blocked.at("/data/blockType") == "fraud");
  CHECK(blocked.at("/data/blockedReason") == "chargeback");
  CHECK(blocked.at("/data/blockedAt") == fixture.time_after(0));
  CHECK(blocked.at("/data/blockExpiresAt") == "null");
  CHECK(outcome_of(fixture.create()) == "403 ERR_CUSTOMER_002");

  const auto unblocked = fixture.post("unblock");
  REQUIRE(unblocked.status == 200);
  CHECK(unblocked.at("/data/isBlocked") == "false");
  for (const std::string field : {"blockType", "blockedReason", "blockedAt", "blockExpiresAt"})
    CHECK(unblocked.at("/data/" + field) == "null");
  CHECK(outcome_of(fixture.create()) == "201");
}

TEST_CASE("blocking and unblocking twice is the same as once") {
  Fixture fixture;
  const auto first = fixture.post("block", kBlock);
  auto before = fixture.service.log().head();
  fixture.service.clock().advance_millis(1'000);
  CHECK(fixture.post("block", kBlock).body == first.body);
  CHECK(fixture.service.log().head() == before);
  const auto unblocked = fixture.post("unblock");
  before = fixture.service.log().head();
  CHECK(fixture.post("unblock").body == unblocked.body);
  CHECK(fixture.service.log().head() == before);
}

TEST_CASE("a block with an end ends by itself") {
  Fixture fixture;
  const auto end = fixture.time_after(1'000);
  const auto blocked = fixture.post("block", fixture.block_until(end));
  CHECK(blocked.at("/data/blockExpiresAt") == end);
  CHECK(outcome_of(fixture.create()) == "403 ERR_CUSTOMER_002");
  fixture.service.clock().advance_millis(1'000);
  CHECK(outcome_of(fixture.create()) == "201");
  const auto unblocked = fixture.post("unblock");
  CHECK(unblocked.at("/data/isBlocked") == "false");
  CHECK(unblocked.at("/data/blockedAt") == "null");
}

TEST_CASE("a block that would end in the past is not valid") {
  Fixture fixture;
  const auto before = fixture.service.log().head();
  for (const auto end_ms : {0, -1'000}) {
    const auto answer = fixture.post("block", fixture.block_until(fixture.time_after(end_ms)));
    CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
    CHECK(answer.at("/details/0/field") == "expiresAt");
  }
  CHECK(fixture.service.log().head() == before);
}

TEST_CASE("every violation of a block is listed, with that of the path") {
  Fixture fixture;
  const auto answer =
      fixture.post("block", R"({"blockType":"other","reason":"","expiresAt":"tomorrow"})", "bad-id");
  CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
  for (const std::string field : {"id", "blockType", "reason", "expiresAt"})
    CHECK(answer.body.find("\"field\":\"" + field + "\"") != std::string::npos);
  CHECK(fixture.post("block", "{}").at("/details/1/reason") == "is required");
  CHECK(outcome_of(fixture.post("block")) == "400 ERR_VALIDATION_001");
  CHECK(outcome_of(fixture.post("unblock", "", "bad-id")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a customer that is missing or of another project is not found, and scopes are checked") {
  Fixture fixture;
  auto& service = fixture.service;
  const auto stranger = service.create_project();
  const auto reader = service.issue_key(fixture.project.id, domain::Environment::kLive,
                                        *domain::ScopeSet::parse("customers:read"));
  for (const std::string operation : {"block", "unblock"}) {
    const auto path = "/api/v1/customers/" + fixture.customer + "/" + operation;
    const std::string body = operation == "block" ? kBlock : "";
    CHECK(outcome_of(fixture.post(operation, body, "cmissing00000000000000000")) == "404 ERR_CUSTOMER_001");
    CHECK(outcome_of(service.send("POST", path, stranger.test_key, body)) == "404 ERR_CUSTOMER_001");
    CHECK(outcome_of(service.send("POST", path, reader, body)) == "403 ERR_AUTH_010");
  }
}

TEST_CASE("a repeated block or unblock shows the customer as it was then") {
  Fixture fixture;
  auto& service = fixture.service;
  const auto& key = fixture.project.test_key;
  const auto path = "/api/v1/customers/" + fixture.customer;
  // The block has ended by the time of the repeat.
  const auto until = fixture.block_until(fixture.time_after(30'000));
  const auto blocked = check_repeats(service, "POST", path + "/block", key, until, [&] {
    service.send("POST", "/api/customers", key, customer_body("Outro Nome"));
  });
  CHECK(blocked.at("/data/isBlocked") == "true");
  CHECK(blocked.at("/data/name") == "Maria Silva");
  const auto unblocked = check_repeats(service, "POST", path + "/unblock", key, "",
                                       [&] { CHECK(fixture.post("block", kBlock).status == 200); });
  CHECK(unblocked.at("/data/isBlocked") == "false");
}

}  // namespace pixledger::tests
