#include <catch2/catch.hpp>

#include "http/api/common/personal_json.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

// A customer who is blocked, was refused, has paid and was refunded, and is on the blocklist.
struct Planted {
  TestService service;
  TestService::Project project = service.create_project();
  SignedIn viewer = sign_in(service, project.id, Role::kViewer, "vera");
  SignedIn oto = sign_in(service, project.id, Role::kOperator, "oto");
  std::string charge;
  std::string customer;

  Planted() {
    const auto customer_body =
        R"({"name":"Ana Lúcia Braga","document":"52998224725","email":"ana.braga@planted.example.com",)"
        R"("phone":"5511987654321","address":{"street":"Rua Plantada","streetNumber":"77",)"
        R"("neighborhood":"Centro","zipCode":"01310-930","city":"Campinas","state":"SP","country":"BR"},)"
        R"("metadata":{"nick":"planted nick"}})";
    done(service.send("POST", "/api/v1/customers", project.test_key, customer_body));
    const auto body = R"({"customer":{"name":"Ana Lúcia Braga","document":"52998224725",)"
                      R"("email":"ana.braga@planted.example.com","phone":"5511987654321"},)"
                      R"("payment":{"amountCents":1990,"product":"Curso"},"originDomain":"loja.example.com",)"
                      R"("customerIp":"203.0.113.66","metadata":{"gift":"planted gift"}})";
    const auto created = service.send("POST", "/api/v1/transactions", project.test_key, body);
    done(created);
    charge = created.at("/data/id");
    customer =
        service.send("GET", "/api/v1/transactions/" + charge, project.test_key).at("/data/customer/id");
    done(service.send("POST", "/api/sandbox/transactions/" + charge + "/pay", project.test_key));
    done(service.send("POST", "/api/v1/transactions/" + charge + "/refund", project.test_key,
                      R"({"amountCents":100,"reason":"planted reason"})"));
    done(service.send("POST", "/api/v1/blocklist", project.test_key,
                      R"({"type":"email","value":"ana.braga@planted.example.com","reason":"planted why"})"));
    done(service.send("POST", "/api/v1/blocklist", project.test_key,
                      R"({"type":"ip","value":"203.0.113.66"})"));
    CHECK(service.send("POST", "/api/v1/transactions", project.test_key, body).status == 403);
    done(service.send("POST", "/api/v1/customers/" + customer + "/block", project.test_key,
                      R"({"blockType":"manual","reason":"planted block"})"));
  }
  static void done(const HttpAnswer& answer) {
    INFO(answer.body);
    CHECK(answer.status / 100 == 2);
  }
  HttpAnswer seen_by(const SignedIn& user, const std::string& path) const {
    auto answer = send_as(service, user, "GET", path);
    done(answer);
    return answer;
  }
};

constexpr const char* kPlanted[] = {"Lúcia",   "Braga",        "52998224725", "ana.braga",
                                    "planted", "98765",        "Plantada",    "Campinas",
                                    "01310",   "203.0.113.66", "Centro",      "\"77\""};

}  // namespace

TEST_CASE("a viewer sees only enough of names, documents, e-mails and phones to distinguish them") {
  CHECK(http::masked_name("Ana Lúcia") == "A** L****");
  CHECK(http::masked_name("Élio") == "É***");
  CHECK(http::masked_document("52998224725") == "***.982.247-**");
  CHECK(http::masked_document("12345678000195") == "**.345.678/****-**");
  CHECK(http::masked_email("ana@dominio.com.br") == "a***@d***.br");
  CHECK(http::masked_phone("5511987654321") == "*********4321");
}

TEST_CASE("no answer shows a viewer personal data, and all of them show it to an operator") {
  const Planted planted;
  const std::vector<std::string> paths = {"/api/v1/transactions",
                                          "/api/transactions",
                                          "/api/v1/transactions/" + planted.charge,
                                          "/api/v1/transactions/" + planted.charge + "?asOf=2100-01-01",
                                          "/api/v1/customers?environment=sandbox",
                                          "/api/v1/customers/" + planted.customer,
                                          "/api/customers/" + planted.customer,
                                          "/api/v1/blocklist?environment=sandbox",
                                          "/api/v1/search?q=52998224725",
                                          "/api/v1/exports/charges",
                                          "/api/v1/exports/charges?format=jsonl",
                                          "/api/v1/events?limit=1000"};
  for (const auto& path : paths) {
    INFO(path);
    const auto masked = planted.seen_by(planted.viewer, path);
    for (const std::string text : kPlanted) {
      INFO(text);
      CHECK(masked.body.find(text) == std::string::npos);
    }
    CHECK(planted.seen_by(planted.oto, path).body.find("ana.braga@planted") != std::string::npos);
  }
}

TEST_CASE("a viewer's receipt has no personal bytes, and proves the same") {
  const Planted planted;
  const auto path = "/api/v1/transactions/" + planted.charge + "/receipt";
  CHECK(planted.seen_by(planted.viewer, path).at("/data/events/0/personal") == "null");
  CHECK(planted.seen_by(planted.oto, path).at("/data/events/0/personal") != "null");
  const auto masked = planted.seen_by(planted.viewer, path);
  CHECK(masked.body.find("203.0.113.66") == std::string::npos);
  CHECK(masked.body.find("planted") == std::string::npos);
}

TEST_CASE("a viewer cannot filter by values that are masked") {
  const Planted planted;
  for (const std::string path :
       {"/api/v1/customers?document=52998224725", "/api/v1/customers?email=ana.braga@planted.example.com",
        "/api/v1/customers?search=braga", "/api/v1/transactions?search=braga",
        "/api/v1/transactions?customerEmail=ana.braga@planted.example.com",
        "/api/v1/transactions?metadata[gift]=planted%20gift"}) {
    INFO(path);
    CHECK(send_as(planted.service, planted.viewer, "GET", path).status == 400);
    planted.seen_by(planted.oto, path);
  }
  for (const std::string text : {"52998224725", "Braga"}) {
    const auto path = "/api/v1/search?q=" + text;
    CHECK(planted.seen_by(planted.viewer, path).body.find(planted.charge) == std::string::npos);
    CHECK(planted.seen_by(planted.oto, path).body.find(planted.charge) != std::string::npos);
  }
  CHECK(planted.seen_by(planted.viewer, "/api/v1/search?q=" + planted.charge).body.find(planted.charge) !=
        std::string::npos);
}
