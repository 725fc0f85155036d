#include <catch2/catch.hpp>

#include "eventstore/keys/tokens.h"
#include "tests/http/feed/feed_pages.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

// A charge that was paid and refunded in part, and another one.
struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  std::string charge = create_charge(service, project.test_key);
  HttpAnswer refund;

  Shop() {
    const auto& key = project.test_key;
    create_charge(service, key);
    service.send("POST", "/api/sandbox/transactions/" + charge + "/pay", key);
    refund = service.send("POST", "/api/v1/transactions/" + charge + "/refund", key,
                          R"({"amountCents":90,"reason":"pediu Maria"})");
    REQUIRE(refund.status == 200);
  }
  std::string path(const std::string& query = "") const {
    return "/api/v1/transactions/" + charge + "/events" + query;
  }
  HttpAnswer get(const std::string& query = "") const {
    return service.send("GET", path(query), project.test_key);
  }
};

}  // namespace

TEST_CASE("a transaction's events are listed in order, with their actors and requests") {
  const Shop shop;
  const auto answer = shop.get();
  CHECK(names(page_of(answer).items) == std::vector<std::string>{"transaction.created", "transaction.paid",
                                                                 "transaction.partially_refunded"});
  const auto actor = "key-" + eventstore::api_key_id(sha256(shop.project.test_key));
  for (const std::string at : {"/data/0", "/data/1", "/data/2"}) {
    CHECK(answer.at(at + "/actor") == actor);
    CHECK(answer.at(at + "/transactionId") == shop.charge);
  }
  CHECK(answer.at("/data/2/requestId") == shop.refund.headers.at("X-Request-Id"));
  CHECK(answer.at("/data/2/data/amountCents") == "90");
  CHECK(answer.at("/data/2/data/reason") == "pediu Maria");
}

TEST_CASE("an event that no request caused says so") {
  Shop shop;
  const auto live = create_charge(shop.service, shop.project.live_key);
  shop.service.execute(domain::ReportPayment{.project = shop.project.id,
                                             .charge = parsed<domain::ChargeId>(live),
                                             .end_to_end_id = sample_end_to_end_id(),
                                             .amount = domain::Cents(1990),
                                             .paid_at = std::nullopt});
  const auto answer =
      shop.service.send("GET", "/api/v1/transactions/" + live + "/events", shop.project.live_key);
  CHECK(answer.at("/data/1/event") == "transaction.paid");
  CHECK(answer.at("/data/1/requestId") == "null");
  CHECK_FALSE(answer.at("/data/1/actor").starts_with("key-"));
}

TEST_CASE("the events of a transaction are the items of the feed, page by page") {
  const Shop shop;
  std::vector<std::string> of_feed;
  for (const auto& item : read_all(shop.service, shop.project.test_key, 1000))
    if (item.transaction == shop.charge) of_feed.push_back(item.id);
  std::vector<std::string> found;
  std::string query = "?limit=1";
  while (true) {
    const auto page = page_of(shop.get(query));
    CHECK(page.items.size() <= 1);
    if (page.items.empty()) break;
    CHECK(page.next == page.items.back().id);
    found.push_back(page.items.back().id);
    query = "?limit=1&after=" + page.next;
  }
  CHECK(found == of_feed);
  CHECK(found.size() == 3);
  CHECK(page_of(shop.get("?after=" + found.back())).next == found.back());
}

TEST_CASE("the events of a transaction are shown to callers who may see it") {
  Shop shop;
  const auto other = shop.service.create_project();
  CHECK(outcome_of(shop.service.send("GET", shop.path(), other.live_key)) == "403 ERR_TRANSACTION_003");
  CHECK(outcome_of(shop.service.send("GET", "/api/v1/transactions/cnobody0000000001/events",
                                     shop.project.live_key)) == "404 ERR_TRANSACTION_001");
  const auto live = create_charge(shop.service, shop.project.live_key);
  CHECK(outcome_of(shop.service.send("GET", "/api/v1/transactions/" + live + "/events",
                                     shop.project.test_key)) == "403 ERR_AUTH_010");
}

TEST_CASE("a viewer sees the events without texts that people wrote") {
  Shop shop;
  const auto vera = sign_in(shop.service, shop.project.id, Role::kViewer, "vera");
  const auto answer = send_as(shop.service, vera, "GET", shop.path());
  CHECK(page_of(answer).items.size() == 3);
  CHECK(answer.at("/data/2/data/reason") == "***");
  for (const std::string personal : {"Maria", "203.0.113.7"})
    CHECK(answer.body.find(personal) == std::string::npos);
}

TEST_CASE("invalid parameters of a transaction's events are refused") {
  const Shop shop;
  const std::pair<std::string, std::string> cases[] = {
      {"?limit=0", "limit"}, {"?limit=1001", "limit"}, {"?after=nowhere", "after"}, {"?wait=1", "wait"}};
  for (const auto& [query, field] : cases) {
    INFO(query);
    const auto refused = shop.get(query);
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == field);
  }
}
