#include <catch2/catch.hpp>

#include "eventstore/keys/tokens.h"
#include "http/front/request_log.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();

  HttpAnswer log(const std::string& query = "") const { return log(query, project.live_key); }
  HttpAnswer log(const std::string& query, const std::string& key) const {
    auto answer = service.send("GET", "/api/v1/requests" + query, key);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    return answer;
  }
  HttpAnswer create(const std::string& key, const std::string& body) const {
    return service.send("POST", "/api/v1/transactions", key, body);
  }
  HttpAnswer look_for_nothing(const std::string& key) const {
    return service.send("GET", "/api/v1/transactions/cnobody0000000001", key);
  }
};

std::size_t count(const HttpAnswer& answer, const std::string& list) {
  std::size_t items = 0;
  while (answer.has("/data/" + list + "/" + std::to_string(items))) ++items;
  return items;
}

}  // namespace

TEST_CASE("failed calls are listed with their callers, and counted by error") {
  Shop shop;
  const auto& key = shop.project.test_key;
  CHECK(shop.create(key, R"({"colour":"red"})").status == 400);
  CHECK(shop.create(key, R"({"colour":"blue"})").status == 400);
  CHECK(shop.create(key, creation_body()).status == 201);
  shop.service.clock().advance_millis(1'000);
  const auto newest = shop.look_for_nothing(key);
  CHECK(newest.status == 404);
  const auto log = shop.log();
  CHECK(count(log, "recent") == 3);
  CHECK(log.at("/data/recent/0/code") == "ERR_TRANSACTION_001");
  CHECK(log.at("/data/recent/0/at") == to_iso8601(shop.service.clock().now()));
  CHECK(log.at("/data/recent/0/method") == "GET");
  CHECK(log.at("/data/recent/0/route") == "/api/v1/transactions/:id");
  CHECK(log.at("/data/recent/0/status") == "404");
  CHECK(log.at("/data/recent/0/fields") == "[]");
  CHECK(log.at("/data/recent/0/requestId") == newest.at("/requestId"));
  CHECK(log.at("/data/recent/0/keyId") == eventstore::api_key_id(sha256(key)));
  CHECK(log.at("/data/recent/0/userId") == "null");
  CHECK(log.at("/data/recent/0/environment") == "sandbox");
  CHECK(log.at("/data/groups/0/code") == "ERR_TRANSACTION_001");
  CHECK(log.at("/data/groups/0/field") == "null");
  CHECK(log.at("/data/groups/0/count") == "1");
  CHECK(log.at("/data/groups/1/code") == "ERR_VALIDATION_001");
  CHECK(log.at("/data/groups/1/count") == "2");
  CHECK(log.at("/data/groups/1/route") == "/api/v1/transactions");
}

TEST_CASE("failed calls are filtered by code and by field") {
  const Shop shop;
  const auto& key = shop.project.test_key;
  shop.create(key, R"({"colour":"red"})");
  shop.look_for_nothing(key);
  const auto by_code = shop.log("?code=ERR_TRANSACTION_001");
  CHECK(count(by_code, "recent") == 1);
  CHECK(count(by_code, "groups") == 1);
  const auto by_field = shop.log("?field=colour");
  CHECK(count(by_field, "recent") == 1);
  CHECK(count(by_field, "groups") == 1);
  CHECK(by_field.at("/data/groups/0/field") == "colour");
  CHECK(count(shop.log("?code=ERR_TRANSACTION_001&field=colour"), "recent") == 0);
  CHECK(count(shop.log("?code=err_transaction_001"), "groups") == 0);
  const auto one = shop.log("?limit=1");
  CHECK(count(one, "recent") == 1);
  CHECK(count(one, "groups") > 1);
}

TEST_CASE("a user's failed call names the user") {
  Shop shop;
  const auto vera = sign_in(shop.service, shop.project.id, Role::kViewer, "vera");
  CHECK(send_as(shop.service, vera, "POST", "/api/v1/transactions", creation_body()).status == 403);
  const auto log = shop.log();
  CHECK(log.at("/data/recent/0/code") == "ERR_AUTH_012");
  CHECK(log.at("/data/recent/0/userId") == vera.user.text());
  CHECK(log.at("/data/recent/0/keyId") == "null");
  CHECK(count(send_as(shop.service, vera, "GET", "/api/v1/requests"), "recent") == 1);
}

TEST_CASE("a project sees neither another project's failed calls nor those without a valid key") {
  Shop shop;
  const auto other = shop.service.create_project();
  shop.look_for_nothing(shop.project.live_key);
  CHECK(shop.service.send("GET", "/api/v1/transactions", "sk_live_none").status == 401);
  CHECK(count(shop.log("", other.live_key), "recent") == 0);
  CHECK(count(shop.log(), "recent") == 1);
}

TEST_CASE("a test key sees the failed calls of the sandbox alone") {
  const Shop shop;
  shop.look_for_nothing(shop.project.live_key);
  shop.create(shop.project.test_key, "{}");
  const auto seen = shop.log("", shop.project.test_key);
  CHECK(count(seen, "recent") == 1);
  CHECK(seen.at("/data/recent/0/environment") == "sandbox");
  CHECK(seen.body.find("ERR_TRANSACTION_001") == std::string::npos);
  CHECK(count(shop.log(), "recent") == 2);
}

TEST_CASE("the same failure in both environments is listed for each") {
  const Shop shop;
  shop.look_for_nothing(shop.project.live_key);
  shop.look_for_nothing(shop.project.test_key);
  const auto log = shop.log();
  REQUIRE(count(log, "groups") == 2);
  CHECK(log.at("/data/groups/0/environment") == "sandbox");
  CHECK(log.at("/data/groups/0/count") == "1");
  CHECK(log.at("/data/groups/1/environment") == "live");
}

TEST_CASE("of a failed call's content only some names of wrong fields are kept") {
  const Shop shop;
  shop.create(shop.project.test_key, creation_body(0, "52998224725"));
  const auto log = shop.log();
  CHECK(log.body.find("payment.amountCents") != std::string::npos);
  for (const std::string said : {"Maria", "maria@", "52998224725", "203.0.113.7"})
    CHECK(log.body.find(said) == std::string::npos);
  const std::string longest(http::FailedRequests::kTextMax + 1, 'x');
  shop.create(shop.project.test_key, R"({")" + longest + R"(":1})");
  CHECK(shop.log().body.find(longest) == std::string::npos);
}

TEST_CASE("the newest of a project's failed calls are kept") {
  const Shop shop;
  const auto most = http::FailedRequests::kOfProjectMax;
  shop.look_for_nothing(shop.project.live_key);
  for (std::size_t i = 0; i < most; ++i)
    shop.service.send("GET", "/api/v1/customers/cnobody0000000001", shop.project.live_key);
  const auto log = shop.log("?limit=" + std::to_string(most));
  CHECK(count(log, "recent") == most);
  CHECK(count(log, "groups") == 1);
  CHECK(log.at("/data/groups/0/count") == std::to_string(most));
  CHECK(log.at("/data/groups/0/code") == "ERR_CUSTOMER_001");
  CHECK(count(shop.log(), "recent") == 50);
}

TEST_CASE("the number of requested failed calls is limited") {
  const Shop shop;
  for (const std::string query : {"?limit=0", "?limit=201", "?limit=x"})
    CHECK(
        shop.service.send("GET", "/api/v1/requests" + query, shop.project.live_key).at("/details/0/field") ==
        "limit");
  CHECK(shop.service.send("GET", "/api/v1/requests?page=2", shop.project.live_key).at("/details/0/field") ==
        "page");
}
