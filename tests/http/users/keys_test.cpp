#include <catch2/catch.hpp>
#include <utility>

#include "eventstore/codec/codec.h"
#include "eventstore/keys/tokens.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

const std::string kKeys = "/api/v1/keys";

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  SignedIn olga = sign_in(service, project.id, Role::kOwner, "olga");

  HttpAnswer list(const std::string& query = "") const {
    return send_as(service, olga, "GET", kKeys + query);
  }
  HttpAnswer issue(const std::string& body, std::map<std::string, std::string> headers = {}) const {
    return send_as(service, olga, "POST", kKeys, body, std::move(headers));
  }
  HttpAnswer act(const std::string& id, const std::string& what, const std::string& body = "",
                 std::map<std::string, std::string> headers = {}) const {
    return send_as(service, olga, "POST", kKeys + "/" + id + "/" + what, body, std::move(headers));
  }
  HttpAnswer in_sandbox(const std::string& method, const std::string& path,
                        const std::string& body = "") const {
    return send_as(service, olga, method, path, body, {{"Pixledger-Environment", "sandbox"}});
  }
  // The status of a call with a key.
  int status_with(const std::string& key) const { return service.send("GET", "/api/v1/store", key).status; }
  std::string after_ms(std::int64_t millis) { return to_iso8601(service.clock().now().plus_millis(millis)); }
};

std::string id_of(const std::string& key) { return eventstore::api_key_id(sha256(key)); }

}  // namespace

TEST_CASE("an owner issues a key, which is shown once and has the requested rights") {
  Shop shop;
  shop.service.clock().advance_millis(1'000);
  const auto issued =
      shop.issue(R"({"environment":"sandbox","name":"Caixa 1","scopes":["transactions:read","store:read"],)"
                 R"("expiresAt":"2100-01-31T12:00:00Z","allowedIps":["127.0.0.0/8","2001:db8::/32"]})");
  INFO(issued.body);
  REQUIRE(issued.status == 201);
  const auto key = issued.at("/data/key");
  CHECK(key.starts_with("sk_test_"));
  CHECK(issued.at("/data/id") == id_of(key));
  CHECK(issued.at("/data/createdAt") == shop.after_ms(0));
  CHECK(issued.at("/data/lastUsedOn") == "null");
  CHECK(shop.status_with(key) == 200);
  CHECK(outcome_of(shop.service.send("POST", "/api/v1/transactions", key, creation_body())) ==
        "403 ERR_AUTH_010");

  const auto list = shop.list();
  CHECK(list.at("/meta/total") == "3");
  CHECK(list.at("/data/0/id") == id_of(key));
  CHECK(list.at("/data/0/name") == "Caixa 1");
  CHECK(list.at("/data/0/environment") == "sandbox");
  CHECK(list.at("/data/0/scopes") == R"(["transactions:read","store:read"])");
  CHECK(list.at("/data/0/expiresAt") == "2100-01-31T12:00:00.000Z");
  CHECK(list.at("/data/0/revokedAt") == "null");
  CHECK(list.at("/data/0/lastUsedOn") == shop.after_ms(0).substr(0, 10));
  CHECK(list.at("/data/0/allowedIps") == R"(["127.0.0.0/8","2001:db8::/32"])");
  CHECK_FALSE(list.has("/data/0/key"));
  CHECK(list.body.find(key) == std::string::npos);
  CHECK(list.at("/data/0/prefix") == "sk_test_");
  CHECK(list.at("/data/0/lastFour") == key.substr(key.size() - 4));
  CHECK(issued.at("/data/lastFour") == key.substr(key.size() - 4));
}

TEST_CASE("a key without further settings may do all, from anywhere and without expiry") {
  const Shop shop;
  const auto issued = shop.issue(R"({"environment":"live","name":null})");
  REQUIRE(issued.status == 201);
  CHECK(issued.at("/data/key").starts_with("sk_live_"));
  CHECK(issued.at("/data/name") == "null");
  CHECK(issued.at("/data/expiresAt") == "null");
  CHECK(issued.at("/data/allowedIps") == "[]");
  CHECK(issued.body.find("events:write") != std::string::npos);
  CHECK(outcome_of(shop.service.send("POST", "/api/v1/transactions", issued.at("/data/key"),
                                     creation_body())) == "201");
}

TEST_CASE("an address without a prefix length is a single address") {
  const Shop shop;
  const auto issued = shop.issue(R"({"environment":"live","allowedIps":["127.0.0.1","2001:db8::1"]})");
  CHECK(issued.at("/data/allowedIps") == R"(["127.0.0.1/32","2001:db8::1/128"])");
  CHECK(shop.status_with(issued.at("/data/key")) == 200);
  const auto elsewhere = shop.issue(R"({"environment":"live","allowedIps":["203.0.113.7"]})");
  CHECK(shop.status_with(elsewhere.at("/data/key")) == 401);
}

TEST_CASE("the ledger records who issued a key") {
  Shop shop;
  const auto id = shop.issue(R"({"environment":"live"})").at("/data/id");
  const auto stream = domain::api_key_stream(parsed<domain::ApiKeyId>(id));
  const auto stored = shop.service.log().read_stream(stream, 0, eventstore::kNoLimit).events.front();
  CHECK(eventstore::decode(stored).actor == "user-" + shop.olga.user.text());
}

TEST_CASE("a rolled key's successor has the same rights, and the key works for the requested overlap") {
  Shop shop;
  shop.service.clock().advance_millis(1'000);
  const auto old_key = shop.issue(R"({"environment":"sandbox","name":"Caixa","scopes":["store:read"]})");
  shop.service.clock().advance_millis(1'000);
  const auto rolled = shop.act(old_key.at("/data/id"), "roll", R"({"overlapSeconds":60})");
  REQUIRE(rolled.status == 201);
  const auto key = rolled.at("/data/key");
  CHECK(key != old_key.at("/data/key"));
  CHECK(rolled.at("/data/id") == id_of(key));
  CHECK(rolled.at("/data/name") == "Caixa");
  CHECK(rolled.at("/data/scopes") == R"(["store:read"])");
  CHECK(rolled.at("/data/expiresAt") == "null");
  CHECK(shop.list().at("/data/1/expiresAt") == shop.after_ms(60'000));
  shop.service.clock().advance_millis(59'999);
  CHECK(shop.status_with(old_key.at("/data/key")) == 200);
  shop.service.clock().advance_millis(1);
  CHECK(shop.status_with(old_key.at("/data/key")) == 401);
  CHECK(shop.status_with(key) == 200);
  const auto refused = shop.act(old_key.at("/data/id"), "roll");
  CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "id");
}

TEST_CASE("a rolled key works for another day by default") {
  Shop shop;
  REQUIRE(shop.act(id_of(shop.project.live_key), "roll").status == 201);
  const auto list = shop.list();
  std::size_t ending = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = "/data/" + std::to_string(i);
    if (list.at(at + "/id") != id_of(shop.project.live_key)) continue;
    CHECK(list.at(at + "/expiresAt") == shop.after_ms(kDayMs));
    ++ending;
  }
  CHECK(ending == 1);
}

TEST_CASE("a revoked key stops at once, and stays revoked as of then") {
  Shop shop;
  const auto id = id_of(shop.project.live_key);
  const auto revoked = shop.act(id, "revoke");
  CHECK(revoked.status == 200);
  CHECK(revoked.at("/data/revokedAt") == shop.after_ms(0));
  CHECK_FALSE(revoked.has("/data/key"));
  CHECK(shop.status_with(shop.project.live_key) == 401);
  CHECK(shop.status_with(shop.project.test_key) == 200);
  shop.service.clock().advance_millis(1'000);
  CHECK(shop.act(id, "revoke").at("/data/revokedAt") == revoked.at("/data/revokedAt"));
  CHECK(outcome_of(shop.act(id, "roll")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a repeat makes no second key, and cannot show the first one again") {
  const Shop shop;
  const std::string body = R"({"environment":"live","name":"ERP"})";
  const auto first = shop.issue(body, {{"Idempotency-Key", "key 1"}});
  const auto again = shop.issue(body, {{"Idempotency-Key", "key 1"}});
  CHECK(again.status == 201);
  CHECK(again.headers.at("Idempotent-Replayed") == "true");
  CHECK(again.at("/data/id") == first.at("/data/id"));
  CHECK(first.at("/data/key") != "null");
  CHECK(again.at("/data/key") == "null");
  CHECK(shop.list().at("/meta/total") == "3");
  CHECK(outcome_of(shop.issue(R"({"environment":"live"})", {{"Idempotency-Key", "key 1"}})) ==
        "422 ERR_IDEMPOTENCY_003");
  const auto id = first.at("/data/id");
  const auto rolled = shop.act(id, "roll", "", {{"Idempotency-Key", "roll 1"}});
  const auto rolled_again = shop.act(id, "roll", "", {{"Idempotency-Key", "roll 1"}});
  CHECK(rolled_again.at("/data/id") == rolled.at("/data/id"));
  CHECK(rolled_again.at("/data/key") == "null");
  CHECK(shop.list().at("/meta/total") == "4");
}

TEST_CASE("a key with an invalid description is not issued") {
  const Shop shop;
  std::string ranges = R"("10.0.0.0/8")";
  for (int i = 0; i < 100; ++i) ranges += R"(,"10.0.0.0/8")";
  const std::pair<std::string, std::string> cases[] = {
      {R"({})", "environment"},
      {R"({"environment":"test"})", "environment"},
      {R"({"environment":"live","name":""})", "name"},
      {R"({"environment":"live","name":")" + std::string(61, 'n') + R"("})", "name"},
      {R"({"environment":"live","scopes":[]})", "scopes"},
      {R"({"environment":"live","scopes":["transactions:read","keys"]})", "scopes"},
      {R"({"environment":"live","scopes":"transactions:read"})", "scopes"},
      {R"({"environment":"live","expiresAt":"soon"})", "expiresAt"},
      {R"({"environment":"live","expiresAt":"2020-01-01T00:00:00Z"})", "expiresAt"},
      {R"({"environment":"live","allowedIps":["10.0.0.0/33"]})", "allowedIps"},
      {R"({"environment":"live","allowedIps":[)" + ranges + "]}", "allowedIps"},
      {R"({"environment":"live","sandboxOnly":true})", "sandboxOnly"},
  };
  for (const auto& [body, field] : cases) {
    INFO(body);
    const auto refused = shop.issue(body);
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == field);
  }
  for (const std::string overlap : {"-1", "31536001", "\"1\""})
    CHECK(shop.act(id_of(shop.project.live_key), "roll", R"({"overlapSeconds":)" + overlap + "}")
              .at("/details/0/field") == "overlapSeconds");
  CHECK(shop.act("nokey", "revoke").at("/details/0/field") == "id");
  CHECK(shop.list("?limit=101").at("/details/0/field") == "limit");
  CHECK(shop.list().at("/meta/total") == "2");
}

TEST_CASE("another project's keys are neither shown, rolled nor revoked") {
  Shop shop;
  const auto other = shop.service.create_project();
  CHECK(shop.list().body.find(id_of(other.live_key)) == std::string::npos);
  for (const std::string what : {"roll", "revoke"}) {
    CHECK(outcome_of(shop.act(id_of(other.live_key), what)) == "404 ERR_KEY_001");
    CHECK(outcome_of(shop.act(std::string(24, '0'), what)) == "404 ERR_KEY_001");
  }
  CHECK(shop.status_with(other.live_key) == 200);
}

TEST_CASE("a user who acts in the sandbox has only the sandbox's keys") {
  const Shop shop;
  const auto list = shop.in_sandbox("GET", kKeys);
  CHECK(list.at("/meta/total") == "1");
  CHECK(list.at("/data/0/id") == id_of(shop.project.test_key));
  CHECK(outcome_of(shop.in_sandbox("POST", kKeys, R"({"environment":"live"})")) == "403 ERR_AUTH_010");
  CHECK(outcome_of(shop.in_sandbox("POST", kKeys, R"({"environment":"sandbox"})")) == "201");
  const auto of_live = kKeys + "/" + id_of(shop.project.live_key);
  CHECK(outcome_of(shop.in_sandbox("POST", of_live + "/revoke")) == "403 ERR_AUTH_010");
  CHECK(outcome_of(shop.in_sandbox("POST", of_live + "/roll")) == "403 ERR_AUTH_010");
  CHECK(shop.status_with(shop.project.live_key) == 200);
}

TEST_CASE("keys are listed page by page, newest first") {
  Shop shop;
  for (const std::string name : {"one", "two"}) {
    shop.service.clock().advance_millis(1'000);
    CHECK(shop.issue(R"({"environment":"live","name":")" + name + R"("})").status == 201);
  }
  CHECK(shop.list("?limit=1").at("/data/0/name") == "two");
  CHECK(shop.list("?limit=1&page=2").at("/data/0/name") == "one");
  CHECK(shop.list("?limit=1&page=2").at("/meta/totalPages") == "4");
  CHECK(shop.list("?limit=1&page=5").at("/data") == "[]");
}

TEST_CASE("a project can have ten thousand keys, and the API makes no more") {
  constexpr std::size_t kAtATime = 500;
  Shop shop;
  std::vector<domain::Command> commands;
  for (int number = 2; number < 10'000; ++number) {
    auto id = std::to_string(number);
    id.insert(0, 24 - id.size(), '0');
    commands.push_back(domain::IssueApiKey{.id = parsed<domain::ApiKeyId>(id),
                                           .project = shop.project.id,
                                           .environment = domain::Environment::kSandbox,
                                           .hash = {},
                                           .scopes = domain::ScopeSet::all(),
                                           .sandbox_only = false,
                                           .expires_at = std::nullopt,
                                           .allowed_callers = {}});
    if (commands.size() == kAtATime) shop.service.execute_all(std::exchange(commands, {}));
  }
  shop.service.execute_all(std::move(commands));
  CHECK(shop.issue(R"({"environment":"live"})").at("/details/0/field") == "environment");
  CHECK(shop.act(id_of(shop.project.live_key), "roll").at("/details/0/field") == "id");
  CHECK(shop.list("?limit=1").at("/meta/total") == "10000");
  CHECK(shop.act(id_of(shop.project.live_key), "revoke").status == 200);
}
