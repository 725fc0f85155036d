#include <catch2/catch.hpp>

#include "eventstore/reading/erasure.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using namespace pixledger::tests;

// An erased customer with a charge; only the events are erased.
struct World {
  TestService service;
  TestService::Project project = service.create_project();
  std::string charge = create_charge(service, project.test_key);
  std::string customer = customer_of(service, project.test_key, charge);

  HttpAnswer get(const std::string& path) const { return service.send("GET", path, project.live_key); }
  HttpAnswer post(const std::string& path, const std::string& body = "") const {
    return service.send("POST", path, project.live_key, body);
  }
  void erase() {
    const auto id = domain::CustomerId::parse(customer).value();
    const auto stream = service.log().claim_holder(domain::customer_claim(id)).value();
    service.execute(domain::EraseCustomer{stream, id, domain::Label::parse("asked for it")});
  }
};

void check_erased(const World& world) {
  const auto answer = world.get("/api/v1/customers/" + world.customer);
  REQUIRE(answer.status == 200);
  CHECK(answer.at("/data/name") == "erased");
  for (const auto* field : {"document", "phone", "email", "street", "streetNumber", "neighborhood",
                            "complement", "zipCode", "city", "state", "country", "blockedAt"})
    CHECK(answer.at(std::string("/data/") + field) == "null");
  CHECK_FALSE(answer.at("/data/erasedAt").empty());
  CHECK(answer.at("/data/isBlocked") == "false");
  CHECK(answer.at("/data/totalTransactions") == "1");
  const auto charge = world.get("/api/v1/transactions/" + world.charge);
  CHECK(charge.at("/data/customer/name") == "erased");
  CHECK(charge.at("/data/customer/document") == "null");
  for (const auto* query : {"search=maria", "search=silva", "customerEmail=maria@example.com"})
    CHECK(world.get(std::string("/api/v1/transactions?") + query).at("/meta/total") == "0");
  const auto list = world.get("/api/v1/transactions?customerId=" + world.customer);
  CHECK(list.at("/meta/total") == "1");
  CHECK(list.at("/data/0/customer/name") == "erased");
  CHECK(world.get("/api/v1/customers?environment=sandbox").at("/data/0/name") == "erased");
}

}  // namespace

TEST_CASE("an erased customer is shown as erased and found by nothing, before and after a rebuild") {
  World world;
  const std::string block = R"({"blockType":"fraud","reason":"chargeback"})";
  REQUIRE(world.post("/api/v1/customers/" + world.customer + "/block", block).status == 200);
  world.erase();
  check_erased(world);
  for (const auto lost :
       {TestService::Lost::kNothing, TestService::Lost::kListSnapshot, TestService::Lost::kViews}) {
    world.service.restart(lost);
    check_erased(world);
  }
}

TEST_CASE("an erased customer can be neither blocked nor unblocked") {
  World world;
  world.erase();
  const auto path = "/api/v1/customers/" + world.customer;
  CHECK(outcome_of(world.post(path + "/block", R"({"blockType":"fraud","reason":"x"})")) ==
        "404 ERR_CUSTOMER_001");
  CHECK(outcome_of(world.post(path + "/unblock")) == "404 ERR_CUSTOMER_001");
}

TEST_CASE("the document of an erased customer makes a new one, and each id shows its own") {
  World world;
  world.erase();
  const auto again = create_charge(world.service, world.project.test_key);
  const auto next = customer_of(world.service, world.project.test_key, again);
  CHECK(next != world.customer);
  CHECK(world.get("/api/v1/customers?environment=sandbox").at("/meta/total") == "2");
  const auto check = [&] {
    CHECK(world.get("/api/v1/customers/" + next).at("/data/name") == "Maria Silva");
    CHECK(world.get("/api/v1/customers/" + world.customer).at("/data/name") == "erased");
    CHECK(world.get("/api/v1/transactions?search=maria").at("/meta/total") == "1");
    CHECK(world.get("/api/v1/transactions?search=maria").at("/data/0/id") == again);
    CHECK(world.get("/api/v1/transactions/" + world.charge).at("/data/customer/name") == "erased");
  };
  check();
  for (const auto lost :
       {TestService::Lost::kNothing, TestService::Lost::kListSnapshot, TestService::Lost::kViews}) {
    world.service.restart(lost);
    check();
  }
}

TEST_CASE("every view of a customer's past shows them as erased") {
  World world;
  const auto created_at = world.get("/api/v1/transactions/" + world.charge).at("/data/createdAt");
  world.service.clock().advance_millis(1000);
  world.erase();
  const auto as_of = world.get("/api/v1/transactions/" + world.charge + "?asOf=" + created_at);
  REQUIRE(as_of.status == 200);
  CHECK(as_of.at("/data/customer/name") == "erased");
  const auto cancelled =
      world.service.send("POST", "/api/v1/transactions/" + world.charge + "/cancel", world.project.test_key);
  REQUIRE(cancelled.status == 200);
  CHECK(cancelled.at("/data/customer/name") == "erased");
}

TEST_CASE("the feed has the event of an erasure") {
  World world;
  world.erase();
  const auto events = world.get("/api/v1/events");
  CHECK(events.body.find(
            R"("event":"customer.erased","environment":"sandbox","transactionId":null,"customerId":")" +
            world.customer) != std::string::npos);
  CHECK(events.body.find("asked for it") == std::string::npos);
}

TEST_CASE("after an erasure a repeat of a save shows the customer as erased") {
  World world;
  const auto body = customer_body("Maria Souza");
  const std::map<std::string, std::string> key{{"Idempotency-Key", "save-1"}};
  const auto save = [&] {
    return world.service.send("POST", "/api/v1/customers", world.project.test_key, body, key);
  };
  const auto saved = save();
  REQUIRE(saved.at("/data/name") == "Maria Souza");
  world.erase();
  const auto repeat = save();
  CHECK(repeat.status == saved.status);
  CHECK(repeat.headers.at("Idempotent-Replayed") == "true");
  CHECK(repeat.at("/data/id") == saved.at("/data/id"));
  CHECK(repeat.at("/data/name") == "erased");
  for (const auto* field : {"document", "email", "phone", "street"})
    CHECK(repeat.at(std::string("/data/") + field) == "null");
}
