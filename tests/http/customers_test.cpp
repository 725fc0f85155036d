#include <catch2/catch.hpp>

#include "projections/views/list_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using tests::HttpAnswer;
using tests::TestService;

constexpr int kRecentMax = 10;

struct Shop {
  HttpAnswer create(std::int64_t cents = 1990, const std::string& document = "52998224725") const {
    return service.send("POST", "/api/v1/transactions", project.test_key,
                        tests::creation_body(cents, document));
  }
  std::string only_customer() const {
    return service.send("GET", "/api/customers", project.test_key).at("/data/0/id");
  }
  HttpAnswer detail(const std::string& group, const std::string& id, const std::string& key) const {
    return service.send("GET", group + "/customers/" + id, key);
  }

  TestService service;
  TestService::Project project = service.create_project();
};

}  // namespace

TEST_CASE("a customer's page shows the newest ten transactions and counts all of them") {
  Shop shop;
  for (int i = 1; i <= kRecentMax + 2; ++i) REQUIRE(shop.create(1'000 + i).status == 201);
  const auto id = shop.only_customer();
  const auto answer = shop.detail("/api", id, shop.project.live_key);
  REQUIRE(answer.status == 200);
  CHECK(answer.at("/data/id") == id);
  CHECK(answer.at("/data/projectId") == shop.project.id.text());
  CHECK(answer.at("/data/document") == "52998224725");
  CHECK(answer.at("/data/totalTransactions") == std::to_string(kRecentMax + 2));
  CHECK(answer.at("/data/recentTransactions/0/amountCents") == std::to_string(1'000 + kRecentMax + 2));
  CHECK(answer.at("/data/recentTransactions/9/amountCents") == "1003");
  CHECK_FALSE(answer.has("/data/recentTransactions/10"));
  CHECK(answer.at("/data/recentTransactions/0/status") == "waiting_payment");
  CHECK(answer.at("/data/recentTransactions/0/paidAt") == "null");
  CHECK_FALSE(answer.has("/data/fraudEvents"));
}

TEST_CASE("refused creations of a customer are its fraud events, newest first") {
  Shop shop;
  REQUIRE(shop.create().status == 201);
  const auto id = shop.only_customer();
  REQUIRE(shop.service
              .send("POST", "/api/v1/customers/" + id + "/block", shop.project.live_key,
                    R"({"blockType":"fraud","reason":"chargeback"})")
              .status == 200);
  CHECK(shop.create(111).at("/code") == "ERR_CUSTOMER_002");
  const auto first = shop.service.log().head().position;
  shop.service.clock().advance_millis(1'000);
  CHECK(shop.create(222).at("/code") == "ERR_CUSTOMER_002");

  const auto answer = shop.detail("/api/v1", id, shop.project.test_key);
  CHECK(answer.at("/data/fraudEvents/0/amountCents") == "222");
  CHECK(answer.at("/data/fraudEvents/1/amountCents") == "111");
  CHECK_FALSE(answer.has("/data/fraudEvents/2"));
  CHECK(answer.at("/data/fraudEvents/0/fraudType") == "blocked_customer");
  CHECK(answer.at("/data/fraudEvents/0/product") == "Camiseta");
  CHECK(answer.at("/data/fraudEvents/0/id") != answer.at("/data/fraudEvents/1/id"));
  CHECK(answer.at("/data/totalTransactions") == "1");

  const auto views = shop.service.views().database();
  const projections::ListReader lists(*views, shop.project.id);
  const auto customer = tests::parsed<domain::CustomerId>(id);
  CHECK(lists.fraud_events(customer, Position(first.value() + 1), 1).front().amount.value() == 222);
  CHECK(lists.fraud_events(customer, first, 1).front().amount.value() == 111);
  CHECK(lists.fraud_events(customer, Position(first.value() - 1), 1).empty());
}

TEST_CASE("a payer whose first creation is refused has fraud events once it is a customer") {
  Shop shop;
  const auto entry = shop.service.send("POST", "/api/v1/blocklist", shop.project.test_key,
                                       R"({"type":"ip","value":"203.0.113.7"})");
  REQUIRE(entry.status == 201);
  CHECK(shop.create().at("/code") == "ERR_FRAUD_001");
  REQUIRE(shop.service.send("DELETE", "/api/v1/blocklist/" + entry.at("/data/id"), shop.project.live_key)
              .status == 200);
  REQUIRE(shop.create().status == 201);
  const auto answer = shop.detail("/api/v1", shop.only_customer(), shop.project.test_key);
  CHECK(answer.at("/data/fraudEvents/0/fraudType") == "blocklist_ip");
}

TEST_CASE("another project's customer does not exist") {
  Shop shop;
  REQUIRE(shop.create().status == 201);
  const auto other = shop.service.create_project();
  const auto answer = shop.detail("/api", shop.only_customer(), other.live_key);
  CHECK(answer.status == 404);
  CHECK(answer.at("/code") == "ERR_CUSTOMER_001");
  CHECK(shop.detail("/api", "not-an-id", other.live_key).at("/code") == "ERR_VALIDATION_001");
}

TEST_CASE("a repeated block shows the customer as it was after the first time") {
  Shop shop;
  REQUIRE(shop.create(100).status == 201);
  const auto id = shop.only_customer();
  const auto block = [&] {
    return shop.service.send("POST", "/api/v1/customers/" + id + "/block", shop.project.live_key,
                             R"({"blockType":"manual","reason":"asked"})", {{"Idempotency-Key", "once"}});
  };
  const auto first = block();
  REQUIRE(first.status == 200);
  CHECK(first.at("/data/totalTransactions") == "1");
  CHECK(shop.create(200).status == 403);
  REQUIRE(shop.service.send("POST", "/api/v1/customers/" + id + "/unblock", shop.project.live_key).status ==
          200);
  for (int i = 0; i < kRecentMax + 3; ++i) REQUIRE(shop.create(300 + i).status == 201);
  const auto again = block();
  CHECK(again.body == first.body);
  CHECK(again.headers.at("Idempotent-Replayed") == "true");
  CHECK(shop.detail("/api", id, shop.project.live_key).at("/data/isBlocked") == "false");
}

TEST_CASE("all violations of a list's filters are reported at once") {
  Shop shop;
  const auto answer = shop.service.send(
      "GET",
      "/api/v1/transactions?page=0&limit=101&status=failed&environment=test&amountMin=-1&amountMax=x"
      "&dateFrom=yesterday&customerId=1&customerEmail=a&originDomain=http%3A%2F%2Fa&search=%00",
      shop.project.live_key);
  CHECK(answer.status == 400);
  for (int i = 0; i < 11; ++i) CHECK(answer.has("/details/" + std::to_string(i) + "/field"));
  CHECK(shop.service.send("GET", "/api/transactions?status=", shop.project.live_key).status == 200);
  CHECK(shop.service.send("GET", "/api/transactions?page=1000000000&limit=100", shop.project.live_key)
            .at("/meta/total") == "0");
}

TEST_CASE("an unescaped plus is explained if it makes a value invalid") {
  Shop shop;
  const auto reason_of = [&](const std::string& query) {
    return shop.service.send("GET", "/api/v1/transactions?" + query, shop.project.live_key)
        .at("/details/0/reason");
  };
  for (const std::string query : {"dateFrom=2026-01-31T12:00:00+03:00", "customerEmail=ana+1@example.com"})
    CHECK(reason_of(query).find("%2B") != std::string::npos);
  CHECK(reason_of("dateFrom=yesterday").find("%2B") == std::string::npos);
}

TEST_CASE("a bound above every possible amount is still a bound") {
  Shop shop;
  const std::string huge = "99999999999999999999999";
  for (const auto& query : {"amountMin=" + huge, "amountMax=" + huge})
    CHECK(shop.service.send("GET", "/api/v1/transactions?" + query, shop.project.live_key).status == 200);
  CHECK(shop.service.send("GET", "/api/v1/transactions?amountMin=-" + huge, shop.project.live_key).status ==
        400);
}
