#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

const std::string kPaths[] = {"/api/customers", "/api/v1/customers"};

struct Fixture {
  HttpAnswer save(const std::string& body, const std::string& path = "/api/customers") const {
    return service.send("POST", path, project.test_key, body);
  }

  TestService service;
  TestService::Project project = service.create_project();
};

std::string without(std::string body, const std::string& part) {
  const auto at = body.find(part);
  REQUIRE(at != std::string::npos);
  return body.erase(at, part.size());
}

}  // namespace

TEST_CASE("a new customer is answered field by field, in both path groups") {
  for (const auto& path : kPaths) {
    Fixture fixture;
    const auto answer = fixture.save(customer_body(), path);
    INFO(answer.body);
    REQUIRE(answer.status == 201);
    const auto id = answer.at("/data/id");
    CHECK(answer.headers.at("Location") == "/api/v1/customers/" + id);
    const auto now = to_iso8601(fixture.service.clock().now());
    CHECK(
        answer.body ==
        R"({"success":true,"message":"The customer was created.","data":{"id":")" + id +
            R"(","environment":"sandbox","name":"Maria Silva","document":"52998224725","phone":"11987654321",)"
            R"("email":"maria@example.com","street":"Rua A","streetNumber":"10","neighborhood":"Centro",)"
            R"("complement":"Apto 1","zipCode":"50000-000","city":"Recife","state":"PE","country":"BR",)"
            R"("metadata":{},"isBlocked":false,"createdAt":")" +
            now + R"(","updatedAt":")" + now + R"("}})");
  }
}

TEST_CASE("a customer of a known document is updated, and nothing is recorded when nothing differs") {
  Fixture fixture;
  const auto created = fixture.save(customer_body());
  fixture.service.clock().advance_millis(1'000);
  const auto updated = fixture.save(customer_body("Maria Souza"), kPaths[1]);
  CHECK(updated.status == 200);
  CHECK(updated.headers.count("Location") == 0);
  CHECK(updated.at("/data/id") == created.at("/data/id"));
  CHECK(updated.at("/data/name") == "Maria Souza");
  CHECK(updated.at("/data/createdAt") == created.at("/data/createdAt"));
  CHECK(updated.at("/data/updatedAt") == to_iso8601(fixture.service.clock().now()));

  fixture.service.clock().advance_millis(1'000);
  const auto before = fixture.service.log().head();
  const auto same = fixture.save(customer_body("Maria Souza"));
  CHECK(same.status == 200);
  CHECK(same.body == updated.body);
  CHECK(fixture.service.log().head() == before);
}

TEST_CASE("saving replaces the address, whose complement may be left out") {
  Fixture fixture;
  fixture.save(customer_body());
  const auto updated = fixture.save(without(customer_body(), R"("complement":"Apto 1",)"));
  CHECK(updated.status == 200);
  CHECK(updated.at("/data/complement") == "null");
}

TEST_CASE("a customer that a charge registered is updated as well") {
  Fixture fixture;
  const auto charge = create_charge(fixture.service, fixture.project.test_key);
  const auto updated = fixture.save(customer_body("Maria Souza"));
  CHECK(updated.status == 200);
  CHECK(updated.at("/data/id") == customer_of(fixture.service, fixture.project.test_key, charge));
}

TEST_CASE("two projects have two customers of one document") {
  Fixture fixture;
  const auto stranger = fixture.service.create_project();
  fixture.save(customer_body());
  CHECK(fixture.service.send("POST", "/api/customers", stranger.live_key, customer_body()).status == 201);
}

TEST_CASE("every field of a customer is required but the complement") {
  Fixture fixture;
  const auto answer = fixture.save(R"({"address":{}})");
  CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
  for (const std::string field :
       {"name", "document", "email", "phone", "address.street", "address.streetNumber",
        "address.neighborhood", "address.zipCode", "address.city", "address.state", "address.country"})
    CHECK(answer.body.find("\"field\":\"" + field + "\"") != std::string::npos);
  CHECK(answer.body.find("address.complement") == std::string::npos);
  const auto no_address = fixture.save("{}");
  CHECK(no_address.at("/details/4/field") == "address");
  CHECK_FALSE(no_address.has("/details/5"));
  CHECK(outcome_of(fixture.save("")) == "400 ERR_VALIDATION_001");
  CHECK(outcome_of(fixture.save("[]")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("values of a customer that are out of bounds are refused, and never echoed") {
  Fixture fixture;
  const auto bad = [&](const std::string& from, const std::string& to) {
    auto body = customer_body();
    body.replace(body.find(from), from.size(), to);
    const auto answer = fixture.save(body);
    CHECK(answer.body.find(to) == std::string::npos);
    return outcome_of(answer);
  };
  CHECK(bad("Maria Silva", std::string(256, 'x')) == "400 ERR_VALIDATION_001");
  CHECK(bad("52998224725", "5299822472") == "400 ERR_VALIDATION_001");
  CHECK(bad("11987654321", "119876543") == "400 ERR_VALIDATION_001");
  CHECK(bad("maria@example.com", "maria.example.com") == "400 ERR_VALIDATION_001");
  CHECK(bad("\"BR\"", "\"BRA\"") == "400 ERR_VALIDATION_001");
}

TEST_CASE("a document or phone with punctuation is refused with that reason, without echoing it") {
  const Fixture fixture;
  for (const std::string document :
       {"529.982.247-25", "11.222.333/0001-81", "12.ABC.345/01DE-35", "12abc34501de35"}) {
    const auto answer = fixture.save(customer_body("Maria", document));
    INFO(answer.body);
    CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
    CHECK(answer.at("/details/0/field") == "document");
    CHECK(answer.at("/details/0/reason") == domain::Document::kRule);
    CHECK(answer.body.find(document) == std::string::npos);
  }
  auto body = customer_body();
  body.replace(body.find("11987654321"), 11, "+55 11 98765-4321");
  const auto answer = fixture.save(body);
  CHECK(answer.at("/details/0/field") == "phone");
  CHECK(answer.at("/details/0/reason") == domain::Phone::kRule);
  CHECK(answer.body.find("98765") == std::string::npos);
}

TEST_CASE("a CNPJ with letters is a document, its check digits are verified where the store wants it") {
  Fixture fixture;
  CHECK(fixture.save(customer_body("Padaria", "12ABC34501DE34")).status == 201);
  fixture.service.verify_documents(fixture.project.id);
  const auto saved = fixture.save(customer_body("Padaria", "12ABC34501DE35"));
  CHECK(saved.status == 201);
  CHECK(saved.at("/data/document") == "12ABC34501DE35");
  CHECK(fixture.save(customer_body("Padaria", "12ABC34501DE34")).at("/details/0/reason") ==
        domain::kCheckDigitsRule);
}

TEST_CASE("a customer's name that holds a web address is refused with a reason") {
  const Fixture fixture;
  for (const std::string name : {"Ana https://evil.example", "WWW.evil.example"}) {
    const auto answer = fixture.save(customer_body(name));
    CHECK(answer.at("/details/0/field") == "name");
    CHECK(answer.at("/details/0/reason") == domain::PersonName::kRule);
    CHECK_FALSE(answer.has("/details/1"));
  }
}

TEST_CASE("a store that verifies documents refuses wrong check digits of a customer by their field") {
  Fixture fixture;
  fixture.service.verify_documents(fixture.project.id);
  const auto answer = fixture.save(customer_body("Maria", "12345678901"));
  CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
  CHECK(answer.at("/details/0/field") == "document");
  const auto nameless = fixture.save(customer_body("", "12345678901"));
  CHECK(nameless.at("/details/0/field") == "name");
  CHECK(nameless.at("/details/1/field") == "document");
  const auto charge = fixture.service.send("POST", "/api/v1/transactions", fixture.project.test_key,
                                           creation_body(1, "12345678901"));
  CHECK(charge.at("/details/0/field") == "customer.document");
}

TEST_CASE("saving a customer needs the scope") {
  Fixture fixture;
  const auto reader =
      fixture.service.issue_key(fixture.project.id, domain::Environment::kLive,
                                *domain::ScopeSet::parse("customers:read,transactions:write"));
  for (const auto& path : kPaths)
    CHECK(outcome_of(fixture.service.send("POST", path, reader, customer_body())) == "403 ERR_AUTH_010");
}

TEST_CASE("a repeated save shows the customer as it was then, also one that changed nothing") {
  Fixture fixture;
  auto& service = fixture.service;
  const auto& key = fixture.project.test_key;
  const auto block_and_rename = [&] {
    const auto id = fixture.save(customer_body("Outro Nome")).at("/data/id");
    CHECK(service
              .send("POST", "/api/v1/customers/" + id + "/block", key,
                    R"({"blockType":"manual","reason":"chargeback"})")
              .status == 200);
  };
  const auto first = check_repeats(service, "POST", kPaths[0], key, customer_body(), block_and_rename);
  CHECK(first.status == 201);
  CHECK(fixture.save(customer_body()).status == 200);
  const auto nothing = check_repeats(service, "POST", kPaths[1], key, customer_body(),
                                     [&] { fixture.save(customer_body("Outro Nome")); });
  CHECK(nothing.status == 200);
  CHECK(nothing.at("/data/name") == "Maria Silva");
  CHECK(nothing.at("/data/isBlocked") == "true");
}

TEST_CASE("an invalid save can be corrected under the same idempotency key") {
  Fixture fixture;
  const std::map<std::string, std::string> header = {{"Idempotency-Key", "k"}};
  const auto bad = fixture.service.send("POST", kPaths[0], fixture.project.test_key, "{}", header);
  CHECK(bad.status == 400);
  const auto good =
      fixture.service.send("POST", kPaths[0], fixture.project.test_key, customer_body(), header);
  CHECK(good.status == 201);
}

}  // namespace pixledger::tests
