#include <catch2/catch.hpp>

#include "domain/decisions/command.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/test_service.h"

// Searches with pasted texts.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr const char* kNbsp = "%C2%A0";

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  std::string charge = create_charge(service, project.live_key);

  HttpAnswer get(const std::string& path) const { return service.send("GET", path, project.live_key); }
  // The ids of a list.
  std::string ids(const std::string& path) const {
    const auto answer = get(path);
    INFO(path << " " << answer.body);
    REQUIRE(answer.status == 200);
    std::string found;
    for (int i = 0; answer.has("/data/" + std::to_string(i)); ++i)
      found += (i == 0 ? "" : " ") + answer.at("/data/" + std::to_string(i) + "/id");
    return found;
  }
  domain::ChargeId id() const { return parsed<domain::ChargeId>(charge); }
  void report(unsigned payment, std::int64_t cents) {
    service.execute(domain::ReportPayment{project.id, id(), sample_end_to_end_id(payment),
                                          domain::Cents(cents), std::nullopt});
  }
};

std::string in_small(std::string text) {
  for (auto& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

TEST_CASE("a transaction is found by every payment that arrived for it, pasted in any case") {
  Shop shop;
  shop.report(1, 1);      // another amount: unapplied
  shop.report(2, 1'990);  // pays it
  shop.report(3, 1'990);  // a duplicate
  for (const unsigned payment : {1U, 2U, 3U}) {
    const auto text = sample_end_to_end_id(payment).text();
    const auto parted = text.substr(0, 9) + "%20" + text.substr(9, 12) + "-" + text.substr(21);
    for (const auto& pasted : {text, kNbsp + text + "%20", in_small(text), parted}) {
      CHECK(shop.ids("/api/v1/transactions?transactionCode=" + pasted) == shop.charge);
      CHECK(shop.ids("/api/transactions?search=" + pasted) == shop.charge);
      CHECK(shop.get("/api/v1/search?q=" + pasted).at("/data/transactions/0/id") == shop.charge);
    }
  }
  CHECK(shop.ids("/api/v1/transactions?transactionCode=" + sample_end_to_end_id(4).text()).empty());
  const auto other = shop.service.create_project();
  CHECK(shop.service
            .send("GET", "/api/v1/transactions?transactionCode=" + sample_end_to_end_id(1).text(),
                  other.live_key)
            .at("/meta/total") == "0");
}

TEST_CASE("a transaction is found by its txid, as banks show it") {
  const Shop shop;
  for (const std::string& pasted : {"p" + shop.charge, "%20P" + shop.charge, "p" + shop.charge + kNbsp}) {
    CHECK(shop.ids("/api/transactions?search=" + pasted) == shop.charge);
    CHECK(shop.get("/api/v1/search?q=" + pasted).at("/data/transactions/0/id") == shop.charge);
  }
}

TEST_CASE("an unmatched payment is found by the search, in its own project only") {
  Shop shop;
  auto bank = sample_bank_connection("banco", domain::Environment::kLive);
  bank.project = shop.project.id;
  shop.service.execute(bank);
  const auto payment = sample_end_to_end_id(7);
  shop.service.execute(domain::RecordUnmatchedPayment{shop.project.id, bank.id, payment, domain::Cents(700),
                                                      shop.service.clock().now(), std::nullopt,
                                                      domain::UnmatchedReason::kNoTxid});
  const auto found = shop.get("/api/v1/search?q=" + in_small(payment.text()) + "%20");
  INFO(found.body);
  CHECK(found.at("/data/payments/0/endToEndId") == payment.text());
  CHECK(found.at("/data/payments/0/amountCents") == "700");
  CHECK(found.at("/data/payments/0/state") == "open");
  CHECK_FALSE(found.has("/data/transactions/0"));
  const auto other = shop.service.create_project();
  CHECK_FALSE(
      shop.service.send("GET", "/api/v1/search?q=" + payment.text(), other.live_key).has("/data/payments/0"));
}

TEST_CASE("customers and their transactions are found by a document in any form, and by a pasted e-mail") {
  Shop shop;
  const auto customer = shop.get("/api/v1/transactions/" + shop.charge).at("/data/customer/id");
  for (const std::string document :
       {"52998224725", "529.982.247-25", "529%20982%20247%2025", "529%E2%80%93982%E2%80%93247%E2%80%9325",
        "CPF%20529.982.247-25", "cpf:52998224725", "%EF%BC%95%EF%BC%92998224725",
        "529.982.247%E2%88%9225%C2%A0", "%EF%BB%BF52998224725"}) {
    CHECK(shop.ids("/api/v1/customers?document=" + document) == customer);
    CHECK(shop.ids("/api/v1/customers?search=" + document) == customer);
    CHECK(shop.ids("/api/v1/transactions?search=" + document) == shop.charge);
    CHECK(shop.get("/api/v1/search?q=" + document).at("/data/customers/0/id") == customer);
  }
  CHECK(shop.ids("/api/v1/customers?search=529.982.247-26").empty());
  for (const std::string email :
       {"%20maria@example.com", "maria@example.com%C2%A0", "%3Cmaria@example.com%3E",
        "mailto:maria@example.com", "Maria%20%3Cmaria@example.com%3E", "%E2%80%8BMaria@Example.com%09"}) {
    CHECK(shop.ids("/api/v1/customers?email=" + email) == customer);
    CHECK(shop.ids("/api/v1/transactions?customerEmail=" + email) == shop.charge);
    CHECK(shop.ids("/api/v1/transactions?search=" + email) == shop.charge);
  }
  CHECK(shop.ids("/api/v1/customers?search=%20maria@example.com%20") == customer);
  CHECK(shop.get("/api/v1/customers?document=5299822472").status == 400);
}

TEST_CASE("customers and their transactions are found by a phone in any form") {
  const Shop shop;
  const auto customer = shop.get("/api/v1/transactions/" + shop.charge).at("/data/customer/id");
  for (const std::string phone :
       {"11987654321", "(11)%2098765-4321", "%2B55%2011%2098765-4321", "98765-4321"}) {
    CHECK(shop.ids("/api/v1/customers?search=" + phone) == customer);
    CHECK(shop.ids("/api/v1/transactions?search=" + phone) == shop.charge);
    CHECK(shop.get("/api/v1/search?q=" + phone).at("/data/customers/0/id") == customer);
  }
  CHECK(shop.ids("/api/v1/transactions?search=11987654322").empty());
  CHECK(shop.ids("/api/v1/transactions?search=7654321").empty());  // too short for a phone
}

TEST_CASE("failed transactions are found by failed=true, and by no status") {
  Shop shop;
  const auto waiting = create_charge(shop.service, shop.project.live_key);
  shop.service.execute(domain::FailCharge{shop.id(), std::nullopt});
  CHECK(shop.ids("/api/v1/transactions?failed=true") == shop.charge);
  CHECK(shop.ids("/api/transactions?failed=true&search=maria") == shop.charge);
  CHECK(shop.ids("/api/v1/transactions?failed=true&status=waiting_payment").empty());
  CHECK(shop.ids("/api/v1/transactions?status=waiting_payment") == waiting);
  CHECK(shop.get("/api/v1/transactions?status=failed").status == 400);
  CHECK(shop.get("/api/v1/transactions?failed=false").status == 400);
}
