#include <catch2/catch.hpp>
#include <utility>

#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

// A customer of each world, the same person, with an order of each.
struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  std::string live = create(project.live_key, "order-live");
  std::string tried = create(project.test_key, "order-tried");

  std::string create(const std::string& key, const std::string& external_id) const {
    auto body = creation_body();
    body.replace(body.rfind('}'), 1, ",\"externalId\":\"" + external_id + "\"}");
    const auto answer = service.send("POST", "/api/v1/transactions", key, body);
    REQUIRE(answer.status == 201);
    return answer.at("/data/id");
  }
  HttpAnswer search(const std::string& text, const std::string& key) const {
    return service.send("GET", "/api/v1/search?q=" + text, key);
  }
  HttpAnswer search(const std::string& text) const { return search(text, project.live_key); }
};

std::size_t count(const HttpAnswer& answer, const std::string& list) {
  std::size_t items = 0;
  while (answer.has("/data/" + list + "/" + std::to_string(items))) ++items;
  return items;
}
// "2 1": the numbers of transactions and customers.
std::string found(const HttpAnswer& answer) {
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  return std::to_string(count(answer, "transactions")) + " " + std::to_string(count(answer, "customers"));
}

}  // namespace

TEST_CASE("a transaction is found by its id, its external id and its payment's end-to-end id") {
  const Shop shop;
  const auto paid =
      shop.service.send("POST", "/api/sandbox/transactions/" + shop.tried + "/pay", shop.project.test_key);
  REQUIRE(paid.status == 200);
  const auto payment = shop.service.send("GET", "/api/v1/transactions/" + shop.tried, shop.project.test_key)
                           .at("/data/transactionCode");
  for (const auto& text : {shop.tried, payment, std::string("order-tried"), std::string("ORDER-TRI")}) {
    INFO(text);
    const auto answer = shop.search(text);
    CHECK(found(answer) == "1 0");
    CHECK(answer.at("/data/transactions/0/id") == shop.tried);
    CHECK(answer.at("/data/transactions/0/externalId") == "order-tried");
  }
}

TEST_CASE("people are found by their names and identifiers, with their transactions") {
  const Shop shop;
  const auto customer = customer_of(shop.service, shop.project.live_key, shop.live);
  const auto by_id = shop.search(customer);
  CHECK(found(by_id) == "1 1");
  CHECK(by_id.at("/data/customers/0/id") == customer);
  CHECK(by_id.at("/data/transactions/0/id") == shop.live);
  for (const std::string text : {"52998224725", "529.982.247-25", "maria@example.com", "maria", "SILVA"}) {
    INFO(text);
    const auto answer = shop.search(text);
    CHECK(found(answer) == "2 2");
    CHECK(answer.at("/data/transactions/0/id") == shop.tried);  // the newest
    CHECK(answer.at("/data/customers/0/email") == "maria@example.com");
  }
}

TEST_CASE("an unknown text finds nothing") {
  const Shop shop;
  for (const std::string text :
       {"nobody", "cnobody0000000001", "11144477735", "order-lived", "E18236120202603011200s1a2b3c4d5e"}) {
    INFO(text);
    CHECK(found(shop.search(text)) == "0 0");
  }
}

TEST_CASE("ten of each are shown at most, the newest") {
  const Shop shop;
  for (int i = 0; i < 11; ++i) shop.create(shop.project.test_key, "many-" + std::to_string(i));
  const auto answer = shop.search("many-");
  CHECK(found(answer) == "10 0");
  CHECK(answer.at("/data/transactions/0/externalId") == "many-10");
  CHECK(found(shop.search("52998224725")) == "10 2");
}

TEST_CASE("exact matches come before partial ones, once") {
  const Shop shop;
  const auto exact = shop.create(shop.project.test_key, "many");
  for (int i = 0; i < 11; ++i) shop.create(shop.project.test_key, "many-" + std::to_string(i));
  const auto answer = shop.search("many");
  CHECK(found(answer) == "10 0");
  CHECK(answer.at("/data/transactions/0/id") == exact);
  CHECK(answer.at("/data/transactions/1/externalId") == "many-10");
  CHECK(answer.at("/data/transactions/9/externalId") == "many-2");
}

TEST_CASE("a test key finds only in the sandbox") {
  const Shop shop;
  const auto& key = shop.project.test_key;
  const auto customer = customer_of(shop.service, shop.project.live_key, shop.live);
  CHECK(found(shop.search(shop.live, key)) == "0 0");
  CHECK(found(shop.search(customer, key)) == "0 0");
  for (const std::string text : {"52998224725", "maria@example.com", "maria"}) {
    const auto answer = shop.search(text, key);
    CHECK(found(answer) == "1 1");
    CHECK(answer.at("/data/transactions/0/id") == shop.tried);
    CHECK(answer.at("/data/customers/0/environment") == "sandbox");
  }
}

TEST_CASE("no caller finds data of another project") {
  Shop shop;
  const auto stranger = shop.service.create_project().live_key;
  const auto customer = customer_of(shop.service, shop.project.live_key, shop.live);
  shop.service.send("POST", "/api/sandbox/transactions/" + shop.tried + "/pay", shop.project.test_key);
  const auto payment = shop.service.send("GET", "/api/v1/transactions/" + shop.tried, shop.project.test_key)
                           .at("/data/transactionCode");
  for (const auto& text : {shop.live, shop.tried, customer, payment, std::string("52998224725"),
                           std::string("maria@example.com"), std::string("order-")}) {
    INFO(text);
    CHECK(found(shop.search(text, stranger)) == "0 0");
  }
}

TEST_CASE("a viewer finds by ids only, and sees personal data masked") {
  Shop shop;
  const auto vera = sign_in(shop.service, shop.project.id, Role::kViewer, "vera");
  const auto search = [&](const std::string& text) {
    return send_as(shop.service, vera, "GET", "/api/v1/search?q=" + text);
  };
  for (const std::string text : {"52998224725", "maria@example.com", "maria"})
    CHECK(found(search(text)) == "0 0");
  const auto customer = customer_of(shop.service, shop.project.live_key, shop.live);
  for (const auto& [text, count] :
       {std::pair<std::string, std::string>(shop.live, "1 0"), {"order-live", "1 0"}, {customer, "1 1"}}) {
    const auto answer = search(text);
    CHECK(found(answer) == count);
    for (const std::string personal : {"52998224725", "maria@", "Maria", "11987654321", "Rua A", "Recife"})
      CHECK(answer.body.find(personal) == std::string::npos);
  }
}

TEST_CASE("a search needs a text of a minimum length, and both scopes") {
  const Shop shop;
  const std::vector<std::string> wrong = {"", "?q=", "?q=" + std::string(201, 'a'), "?q=a&q=b", "?q=%ff"};
  for (const auto& query : wrong) {
    INFO(query);
    const auto refused = shop.service.send("GET", "/api/v1/search" + query, shop.project.live_key);
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == "q");
  }
  CHECK(found(shop.search(std::string(200, 'a'))) == "0 0");
  CHECK(shop.search("a&limit=3").at("/details/0/field") == "limit");
}

TEST_CASE("one scope is not enough to search") {
  Shop shop;
  for (const char* scopes : {"transactions:read", "customers:read"}) {
    const auto key = shop.service.issue_key(shop.project.id, domain::Environment::kLive,
                                            domain::ScopeSet::parse(scopes).value());
    CHECK(outcome_of(shop.search("maria", key)) == "403 ERR_AUTH_010");
  }
}
