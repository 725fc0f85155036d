#include <catch2/catch.hpp>

#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

const std::string kPath = "/api/v1/store";

struct Fixture {
  HttpAnswer change(const std::string& body) const {
    return service.send("PATCH", kPath, project.live_key, body);
  }
  HttpAnswer store() const { return service.send("GET", kPath, project.live_key); }

  TestService service;
  TestService::Project project = service.create_project();
};

}  // namespace

TEST_CASE("a change of the store is answered with the changed store") {
  Fixture fixture;
  const auto answer =
      fixture.change(R"({"name":"Outra Loja","pixExpirationMinutes":45,"maxTransactionAmountCents":5000})");
  REQUIRE(answer.status == 200);
  CHECK(answer.body ==
        R"({"success":true,"data":{"id":")" + fixture.project.id.text() +
            R"(","name":"Outra Loja","pixKey":"loja********.com","merchantName":"LOJA EXEMPLO",)"
            R"("merchantCity":"SAO PAULO","maxTransactionAmountCents":5000,)"
            R"("pixExpirationMinutes":45,"verifyDocuments":false,"feeFixedCents":0,)"
            R"("feeBasisPoints":0,"devMode":false,"contact":null,"timezone":"America/Sao_Paulo",)"
            R"("logo":null,"color":null,"supportContact":null,"embedOrigins":[],"payerProofs":false,)"
            R"("returnPublicKey":")" +
            answer.at("/data/returnPublicKey") + "\"}}");
  CHECK(fixture.store().body == answer.body);
  const auto too_much =
      fixture.service.send("POST", "/api/v1/transactions", fixture.project.test_key, creation_body(5001));
  CHECK(outcome_of(too_much) == "400 ERR_TRANSACTION_004");
}

TEST_CASE("a store's look for payers is set, and an empty value removes it") {
  Fixture fixture;
  const std::string logo = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA";
  const auto set =
      fixture.change(R"({"timezone":"America/Manaus","logo":")" + logo +
                     R"(","color":"#0a7f3c","supportContact":"(11) 98765-4321","payerProofs":true,)"
                     R"("embedOrigins":["https://loja.example.com","http://localhost:3000"]})");
  REQUIRE(set.status == 200);
  CHECK(set.at("/data/timezone") == "America/Manaus");
  CHECK(set.at("/data/logo") == logo);
  CHECK(set.at("/data/color") == "#0a7f3c");
  CHECK(set.at("/data/supportContact") == "(11) 98765-4321");
  CHECK(set.at("/data/contact") == "(11) 98765-4321");
  CHECK(set.at("/data/embedOrigins") == R"(["https://loja.example.com","http://localhost:3000"])");
  CHECK(set.at("/data/payerProofs") == "true");
  CHECK(fixture.change("{}").body == set.body);
  const auto bare = fixture.change(R"({"logo":"","color":"","supportContact":"","embedOrigins":[]})");
  CHECK(bare.at("/data/logo") == "null");
  CHECK(bare.at("/data/color") == "null");
  CHECK(bare.at("/data/supportContact") == "null");
  CHECK(bare.at("/data/embedOrigins") == "[]");
  CHECK(bare.at("/data/timezone") == "America/Manaus");
}

TEST_CASE("every invalid value of a store's look is refused") {
  Fixture fixture;
  const auto refused =
      fixture.change(R"({"timezone":"Mars/Olympus","logo":"data:image/gif;base64,R0lGODlh","color":"red",)"
                     R"("embedOrigins":["https://a.example https://b.example"]})");
  CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
  for (const std::string field : {"timezone", "logo", "color", "embedOrigins"})
    CHECK(refused.body.find("\"field\":\"" + field + "\"") != std::string::npos);
}

TEST_CASE("fields that a change does not name stay, and an empty change records nothing") {
  Fixture fixture;
  CHECK(fixture.change(R"({"pixExpirationMinutes":45})").at("/data/name") == "Loja");
  CHECK(fixture.change(R"({"name":"Outra"})").at("/data/pixExpirationMinutes") == "45");
  const auto before = fixture.service.log().head();
  for (const std::string body : {"{}", R"({"name":null})", R"({"name":"Outra"})"}) {
    const auto answer = fixture.change(body);
    CHECK(answer.status == 200);
    CHECK(answer.body == fixture.store().body);
  }
  CHECK(fixture.service.log().head() == before);
}

TEST_CASE("the store's settings have bounds, and every violation is listed") {
  Fixture fixture;
  const auto before = fixture.service.log().head();
  const auto answer =
      fixture.change(R"({"name":"","pixExpirationMinutes":0,"maxTransactionAmountCents":100000000000})");
  CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
  for (const std::string field : {"name", "pixExpirationMinutes", "maxTransactionAmountCents"})
    CHECK(answer.body.find("\"field\":\"" + field + "\"") != std::string::npos);
  CHECK(fixture.change(R"({"name":"www.loja.example"})").at("/details/0/reason") == domain::StoreName::kRule);
  for (const std::string body : {R"({"pixExpirationMinutes":525601})", R"({"pixExpirationMinutes":"5"})",
                                 R"({"maxTransactionAmountCents":0})", "[]", ""})
    CHECK(outcome_of(fixture.change(body)) == "400 ERR_VALIDATION_001");
  CHECK(fixture.service.log().head() == before);
  CHECK(fixture.change(R"({"pixExpirationMinutes":525600})").status == 200);
  CHECK(fixture.change(R"({"maxTransactionAmountCents":99999999999})").status == 200);
}

TEST_CASE("changing the store needs the scope, and reading it is not enough") {
  Fixture fixture;
  const auto reader = fixture.service.issue_key(fixture.project.id, domain::Environment::kLive,
                                                *domain::ScopeSet::parse("store:read,customers:write"));
  CHECK(outcome_of(fixture.service.send("PATCH", kPath, reader, "{}")) == "403 ERR_AUTH_010");
  CHECK(outcome_of(fixture.service.send("GET", kPath, reader)) == "200");
}

TEST_CASE("a repeated change changes once and shows the store as it was then") {
  Fixture fixture;
  const auto first =
      check_repeats(fixture.service, "PATCH", kPath, fixture.project.live_key, R"({"name":"Outra"})",
                    [&] { CHECK(fixture.change(R"({"name":"Terceira"})").status == 200); });
  CHECK(first.at("/data/name") == "Outra");
  CHECK(fixture.store().at("/data/name") == "Terceira");
}

}  // namespace pixledger::tests
