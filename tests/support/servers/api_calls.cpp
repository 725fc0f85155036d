#include "tests/support/servers/api_calls.h"

#include <catch2/catch.hpp>

namespace pixledger::tests {

std::string create_charge(const TestService& service, const std::string& key) {
  const auto answer = service.send("POST", "/api/v1/transactions", key, creation_body());
  INFO(answer.body);
  REQUIRE(answer.status == 201);
  return answer.at("/data/id");
}

std::string customer_of(const TestService& service, const std::string& key, const std::string& charge) {
  return service.send("GET", "/api/v1/transactions/" + charge, key).at("/data/customer/id");
}

std::string status_of(const TestService& service, const std::string& key, const std::string& charge) {
  return service.send("GET", "/api/v1/transactions/" + charge, key).at("/data/status");
}

std::string customer_body(const std::string& name, const std::string& document) {
  return R"({"name":")" + name + R"(","document":")" + document +
         R"(","email":"maria@example.com","phone":"11987654321","address":{"street":"Rua A",)"
         R"("streetNumber":"10","complement":"Apto 1","neighborhood":"Centro","zipCode":"50000-000",)"
         R"("city":"Recife","state":"PE","country":"BR"}})";
}

std::string outcome_of(const HttpAnswer& answer) {
  const auto status = std::to_string(answer.status);
  return answer.status < 400 ? status : status + " " + answer.at("/code");
}

HttpAnswer check_repeats(TestService& service, const std::string& method, const std::string& path,
                         const std::string& key, const std::string& body,
                         const std::function<void()>& later) {
  const std::map<std::string, std::string> header = {{"Idempotency-Key", "once " + path}};
  const auto first = service.send(method, path, key, body, header);
  INFO(first.body);
  CHECK(first.headers.count("Idempotent-Replayed") == 0);
  later();
  service.clock().advance_millis(60'000);
  service.restart();
  const auto before = service.log().head();
  const auto again = service.send(method, path + "/", key, body, header);
  CHECK(again.status == first.status);
  CHECK(again.body == first.body);
  CHECK(again.headers.at("Idempotent-Replayed") == "true");
  CHECK(service.log().head() == before);
  return first;
}

}  // namespace pixledger::tests
