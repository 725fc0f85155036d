#include <catch2/catch.hpp>

#include "eventstore/keys/tokens.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/servers/test_service.h"

using namespace pixledger;

TEST_CASE("a request without a valid key is refused with 401") {
  tests::TestService service;
  const auto project = service.create_project();
  auto mistyped = project.test_key;
  mistyped[20] = mistyped[20] == 'a' ? 'b' : 'a';
  for (const std::string& key : {std::string(), std::string("x"), std::string("sk_test_"), mistyped}) {
    const auto answer = service.send("GET", "/api/v1/store/", key);
    CHECK(answer.status == 401);
    CHECK(answer.at("/code") == "ERR_AUTH_009");
  }
}

TEST_CASE(
    "what can be no key is refused without asking how far the log is, and what may be one waits for that") {
  tests::TestService service;
  const auto project = service.create_project();
  auto mistyped = project.test_key;
  mistyped[20] = mistyped[20] == 'a' ? 'b' : 'a';
  service.server_log().take_catch_ups();
  service.server_log().is_away = true;
  for (const std::string& key : {std::string(), std::string("x"), mistyped}) {
    CHECK(service.send("GET", "/api/v1/store", key).status == 401);
    CHECK(service.send("GET", "/api/v1/payer/sessions/x", key).status == 401);
  }
  CHECK(service.server_log().take_catch_ups() == 0);
  tests::SeededEntropy entropy(5);
  const auto unknown = eventstore::make_api_key(false, {'0', '0', '0', '0'}, entropy).text;
  CHECK(service.send("GET", "/api/v1/store", unknown).status == 503);
  service.server_log().is_away = false;
  CHECK(service.send("GET", "/api/v1/store", unknown).status == 401);
  CHECK(service.server_log().take_catch_ups() == 2);
}

TEST_CASE("the store of the key is shown") {
  tests::TestService service;
  const auto project = service.create_project();
  for (const std::string path : {"/api/v1/store/", "/api/v1/store"}) {
    const auto answer = service.send("GET", path, project.live_key);
    REQUIRE(answer.status == 200);
    CHECK(answer.at("/data/id") == project.id.text());
    CHECK(answer.at("/data/name") == "Loja");
    CHECK(answer.at("/data/devMode") == "false");
    CHECK(answer.at("/data/pixExpirationMinutes") == "30");
    CHECK(answer.at("/data/maxTransactionAmountCents") == "99999999999");
  }
}

TEST_CASE("a revoked key stops at once, an expired one at its time") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto expiring = service.issue_key(project.id, domain::Environment::kSandbox, domain::ScopeSet::all(),
                                          false, service.clock().now().plus_millis(1000));
  CHECK(service.send("GET", "/api/v1/store", expiring).status == 200);
  service.clock().advance_millis(1000);
  const auto expired = service.send("GET", "/api/v1/store", expiring);
  CHECK(expired.status == 401);
  CHECK(expired.at("/message") == "The API key has expired. Send another one.");

  CHECK(service.send("GET", "/api/v1/store", project.test_key).status == 200);
  const auto id = domain::ApiKeyId::parse(to_hex(sha256(project.test_key)).substr(0, 24));
  service.execute(domain::RevokeApiKey{*id});
  const auto revoked = service.send("GET", "/api/v1/store", project.test_key);
  CHECK(revoked.status == 401);
  CHECK(revoked.at("/message") == "The API key was revoked. Send another one.");
}

TEST_CASE("a key does what its scopes allow, and writing implies reading") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto reader = service.issue_key(project.id, domain::Environment::kSandbox,
                                        *domain::ScopeSet::parse("transactions:read"));
  const auto writer = service.issue_key(project.id, domain::Environment::kSandbox,
                                        *domain::ScopeSet::parse("transactions:write"));
  const auto refused = service.send("POST", "/api/v1/transactions", reader, tests::creation_body());
  CHECK(refused.status == 403);
  CHECK(refused.at("/code") == "ERR_AUTH_010");
  const auto created = service.send("POST", "/api/v1/transactions", writer, tests::creation_body());
  REQUIRE(created.status == 201);
  const auto path = "/api/transactions/" + created.at("/data/id");
  CHECK(service.send("GET", path, writer).status == 200);
  CHECK(service.send("GET", path, reader).status == 200);
  CHECK(service.send("GET", "/api/v1/store", reader).at("/code") == "ERR_AUTH_010");
}

TEST_CASE("a key with a list of addresses works from those only") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto here = service.issue_key(project.id, domain::Environment::kSandbox, domain::ScopeSet::all(),
                                      false, std::nullopt, {*Cidr::parse("127.0.0.0/8")});
  const auto elsewhere = service.issue_key(project.id, domain::Environment::kSandbox, domain::ScopeSet::all(),
                                           false, std::nullopt, {*Cidr::parse("203.0.113.0/24")});
  CHECK(service.send("GET", "/api/v1/store", here).status == 200);
  CHECK(service.send("GET", "/api/v1/store", elsewhere).at("/code") == "ERR_AUTH_009");
}

TEST_CASE("health and readiness need no key") {
  tests::TestService service;
  CHECK(service.send("GET", "/healthz", "").at("/data/status") == "ok");
  CHECK(service.send("GET", "/readyz", "").at("/data/status") == "ready");
}

TEST_CASE("a request reads the log's head once, and is refused while the head is unknown") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto created = service.send("POST", "/api/v1/transactions", project.test_key, tests::creation_body());
  const auto path = "/api/transactions/" + created.at("/data/id");
  const auto& log = service.server_log();
  log.answers_later = GENERATE(false, true);
  log.take_catch_ups();
  CHECK(service.send("GET", path, project.test_key).status == 200);
  CHECK(log.take_catch_ups() == 1);
  log.is_away = true;
  const auto refused = service.send("GET", path, project.test_key);
  CHECK(refused.status == 503);
  CHECK(refused.at("/code") == "ERR_HTTP_503");
  CHECK(refused.at("/message").find("cannot tell") != std::string::npos);
  log.is_away = false;
  CHECK(service.send("GET", path, project.test_key).status == 200);
}
