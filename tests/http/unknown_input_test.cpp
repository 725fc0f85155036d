// Every operation refuses unknown input in each of its parts.
#include <catch2/catch.hpp>

#include "http/front/authentication.h"
#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

const std::string kUnknownField = "is not a field of this operation";
const std::string kUnknownParameter = "is not a parameter of this operation";
const std::map<std::string, std::string> kLenient = {{"Prefer", "handling=lenient"}};

// The route's path with an id in place of the parameter.
std::string path_of(const http::Route& route) {
  std::string path(route.pattern);
  const auto at = path.find(":id");
  if (at != std::string::npos) path.replace(at, 3, "cmissing00000000000000000");
  return path;
}

// "field: reason" of every violation, a line each.
std::string violations_of(const HttpAnswer& answer) {
  std::string lines;
  for (int i = 0; answer.has("/details/" + std::to_string(i)); ++i) {
    const auto at = "/details/" + std::to_string(i);
    lines += answer.at(at + "/field") + ": " + answer.at(at + "/reason") + "\n";
  }
  return lines;
}

// The same body with one more member of the outermost object.
std::string with_member(const std::string& body, const std::string& member) {
  return "{" + member + "," + body.substr(1);
}

}  // namespace

TEST_CASE("a body may begin with a byte order mark, and one that is nothing else is empty") {
  TestService service;
  const auto key = service.create_project().test_key;
  const std::string mark = "\xef\xbb\xbf";
  const auto created = service.send("POST", "/api/v1/transactions", key, mark + creation_body());
  REQUIRE(created.status == 201);
  const auto path = "/api/v1/transactions/" + created.at("/data/id");
  CHECK(service.send("POST", path + "/cancel", key, mark).status == 200);
  CHECK(service.send("POST", "/api/v1/transactions", key, mark + mark + creation_body()).status == 400);
}

TEST_CASE("every operation refuses a parameter and a field that it does not know") {
  TestService service;
  const auto project = service.create_project();
  const auto before = service.log().head();
  std::size_t operations = 0;
  for (const auto& route : service.routes()) {
    if (route.is_public) continue;
    // These refuse a merchant's key before they check anything else.
    if (route.scope == http::kPayerScope || http::is_of_users_alone(route.scope)) continue;
    ++operations;
    const std::string method(http::method_name(route.method));
    INFO(method << " " << route.pattern);
    const auto refused = service.send(method, path_of(route) + "?zzz=1", project.live_key, R"({"zzz":1})");
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(violations_of(refused).find("zzz: " + kUnknownField) != std::string::npos);
    CHECK(violations_of(refused).find("zzz: " + kUnknownParameter) != std::string::npos);

    const auto lenient =
        service.send(method, path_of(route) + "?zzz=1", project.live_key, R"({"zzz":1})", kLenient);
    CHECK(violations_of(lenient).find("zzz") == std::string::npos);
    CHECK(lenient.headers.at("Preference-Applied") == "handling=lenient");
  }
  CHECK(operations > 30);
  CHECK(service.log().head() == before);
}

TEST_CASE("a misspelt amount refunds nothing, and the error suggests the right name") {
  TestService service;
  const auto project = service.create_project();
  const auto id = create_charge(service, project.test_key);
  CHECK(service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key).status == 200);
  const auto refund = [&](const std::map<std::string, std::string>& headers) {
    return service.send("POST", "/api/v1/transactions/" + id + "/refund", project.test_key,
                        R"({"amount":100})", headers);
  };
  const auto refused = refund({});
  CHECK(violations_of(refused) == "amount: " + kUnknownField + "; did you mean amountCents?\n");
  CHECK(refused.headers.count("Preference-Applied") == 0);
  CHECK(status_of(service, project.test_key, id) == "paid");
  CHECK(outcome_of(refund(kLenient)) == "200");
  CHECK(status_of(service, project.test_key, id) == "refunded");
}

TEST_CASE("unknown fields are refused in every object of a body, beside all else that is wrong") {
  TestService service;
  const auto project = service.create_project();
  const std::string body =
      R"({"customer":{"Name":"Ana","document":"1","email":"ana@example.com","phone":"11987654321",)"
      R"("address":{"zipcode":"50050-000","planet":null}},"payment":{"amountCents":1,"product":"x",)"
      R"("amount":1},"origin_domain":"a.example","street":"Rua"})";
  const auto answer = service.send("POST", "/api/v1/transactions", project.test_key, body);
  const auto violations = violations_of(answer);
  for (const auto& line : std::vector<std::string>{
           "customer.name: is required",
           "originDomain: is required",
           "customer.Name: " + kUnknownField + "; did you mean customer.name?",
           "customer.address.zipcode: " + kUnknownField + "; did you mean customer.address.zipCode?",
           "customer.address.planet: " + kUnknownField,
           "payment.amount: " + kUnknownField + "; did you mean payment.amountCents?",
           "origin_domain: " + kUnknownField + "; did you mean originDomain?",
           "street: " + kUnknownField + "; did you mean customer.address.street?",
       }) {
    INFO(violations);
    CHECK(violations.find(line + "\n") != std::string::npos);
  }
  CHECK_FALSE(answer.has("/details/9"));  // and the document
}

TEST_CASE("a misspelt filter is refused in both groups of paths, an empty one too") {
  TestService service;
  const auto project = service.create_project();
  for (const std::string path : {"/api/transactions", "/api/v1/transactions"}) {
    const auto answer = service.send("GET", path + "?amount_min=5&statuses=&limit=3&page=", project.live_key);
    CHECK(violations_of(answer) == "amount_min: " + kUnknownParameter +
                                       "; did you mean amountMin?\nstatuses: " + kUnknownParameter +
                                       "; did you mean status?\n");
  }
}

TEST_CASE("an operation without a body accepts none, an empty one and an empty object") {
  TestService service;
  const auto project = service.create_project();
  const auto cancel = [&](const std::string& body) {
    const auto id = create_charge(service, project.test_key);
    return service.send("POST", "/api/v1/transactions/" + id + "/cancel", project.test_key, body);
  };
  for (const std::string body : {"", "{}", " {\n} "}) CHECK(outcome_of(cancel(body)) == "200");
  CHECK(violations_of(cancel(R"({"reason":null})")) == "reason: " + kUnknownField + "\n");
  CHECK(violations_of(cancel("[]")) == "body: must be a JSON object\n");
}

TEST_CASE("a creation with lenient handling equals one without the unknown fields") {
  TestService service;
  const auto project = service.create_project();
  const auto body = with_member(creation_body(), R"("colour":{"deep":[1]})");
  CHECK(outcome_of(service.send("POST", "/api/v1/transactions", project.test_key, body)) ==
        "400 ERR_VALIDATION_001");
  const auto created = service.send("POST", "/api/v1/transactions", project.test_key, body, kLenient);
  CHECK(created.status == 201);
  CHECK(created.headers.at("Preference-Applied") == "handling=lenient");
}

}  // namespace pixledger::tests
