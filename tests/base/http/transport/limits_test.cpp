#include <catch2/catch.hpp>

#include "http/front/rate_limit.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/test_service.h"

// Rates, failed authentications and proxies, as a client sees them.
using namespace pixledger;
using tests::TestService;
using tests::TestServiceOptions;

namespace {

const std::string kStore = "/api/v1/store";

TestServiceOptions with_rates(std::uint32_t live_per_s, std::uint32_t test_per_s) {
  TestServiceOptions options;
  options.front.rates = {live_per_s, test_per_s};
  return options;
}

TestServiceOptions behind_proxy(const std::string& range) {
  TestServiceOptions options;
  options.server.trusted_proxies = {*Cidr::parse(range)};
  return options;
}

using Headers = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("without a rate there is no limit, and no header speaks of one") {
  TestService service;
  const auto project = service.create_project();
  for (int i = 0; i < 50; ++i) {
    const auto answer = service.send("GET", kStore, project.test_key);
    REQUIRE(answer.status == 200);
    CHECK(answer.headers.count("RateLimit") == 0);
    CHECK(answer.headers.count("RateLimit-Policy") == 0);
  }
}

TEST_CASE("a key over its rate is answered 429 until time has passed") {
  TestService service(with_rates(0, 2));
  const auto project = service.create_project();
  for (int left = 3; left >= 0; --left) {
    const auto answer = service.send("GET", kStore, project.test_key);
    CHECK(answer.status == 200);
    CHECK(answer.headers.at("RateLimit-Policy") == R"("test";q=2;w=1;burst=4)");
    CHECK(answer.headers.at("RateLimit") ==
          R"("test";r=)" + std::to_string(left) + ";t=" + std::to_string(left == 3 || left == 2 ? 1 : 2));
  }
  const auto refused = service.send("GET", kStore, project.test_key);
  CHECK(refused.status == 429);
  CHECK(refused.at("/code") == "ERR_RATE_001");
  CHECK(refused.headers.at("Retry-After") == "1");
  CHECK(refused.headers.at("RateLimit") == R"("test";r=0;t=2)");
  CHECK(service.send("GET", kStore, project.live_key).headers.count("RateLimit") == 0);

  service.clock().advance_millis(500);
  CHECK(service.send("GET", kStore, project.test_key).status == 200);
  CHECK(service.send("GET", kStore, project.test_key).status == 429);
}

TEST_CASE("the rate is checked after the route and the key, before scope and body") {
  TestService service(with_rates(1, 1));
  const auto project = service.create_project();
  const auto reader = service.issue_key(project.id, domain::Environment::kSandbox,
                                        *domain::ScopeSet::parse("transactions:read"));
  CHECK(service.send("GET", "/nowhere", reader).status == 404);
  CHECK(service.send("PUT", kStore, reader).status == 405);
  const auto without_scope = service.send("GET", kStore, reader);
  CHECK(without_scope.status == 403);
  CHECK(without_scope.headers.at("RateLimit") == R"("test";r=1;t=1)");
  CHECK(service.send("GET", "/api/transactions/none", reader).headers.at("RateLimit") == R"("test";r=0;t=2)");
  CHECK(service.send("GET", kStore, reader).status == 429);
  CHECK(service.send("POST", "/api/v1/transactions", reader, "{").status == 429);
  CHECK(service.send("GET", "/nowhere", reader).status == 404);
  CHECK(service.send("GET", kStore, "sk_test_wrong").status == 401);
  CHECK(service.send("GET", "/healthz", "").status == 200);
}

TEST_CASE("an address that fails too often is answered 429, but its good key still works") {
  TestService service;
  const auto project = service.create_project();
  for (std::uint32_t i = 0; i < http::FailedAuthentications::kFailuresMax; ++i)
    REQUIRE(service.send("GET", kStore, i % 2 == 0 ? "" : "sk_test_wrong").status == 401);
  const auto refused = service.send("GET", kStore, "sk_test_wrong");
  CHECK(refused.status == 429);
  CHECK(refused.at("/code") == "ERR_RATE_001");
  CHECK(refused.headers.at("Retry-After") == "60");
  CHECK(service.send("GET", kStore, project.test_key).status == 200);
  CHECK(service.send("GET", kStore, "").status == 429);
  service.clock().advance_millis(RequestWindows<>::kWindowMs);
  CHECK(service.send("GET", kStore, "").status == 401);
}

TEST_CASE("a trusted proxy names its caller") {
  TestService service(behind_proxy("127.0.0.0/8"));
  const auto project = service.create_project();
  const auto key = service.issue_key(project.id, domain::Environment::kSandbox, domain::ScopeSet::all(),
                                     false, std::nullopt, {*Cidr::parse("203.0.113.0/24")});
  CHECK(service.send("GET", kStore, key).status == 401);
  CHECK(service.send("GET", kStore, key, "", {{"X-Forwarded-For", "203.0.113.9"}}).status == 200);
  CHECK(service.send("GET", kStore, key, "", {{"X-Forwarded-For", "198.51.100.9"}}).status == 401);
  CHECK(service.send("GET", kStore, key, "", {{"X-Forwarded-For", "203.0.113.9, 198.51.100.9"}}).status ==
        401);
  CHECK(service.send("GET", kStore, key, "", {{"X-Forwarded-For", "203.0.113.9, rubbish"}}).status == 401);

  // Failures count for the caller, not for the proxy.
  const Headers attacker = {{"X-Forwarded-For", "192.0.2.66"}};
  for (std::uint32_t i = 0; i < http::FailedAuthentications::kFailuresMax; ++i)
    REQUIRE(service.send("GET", kStore, "", "", attacker).status == 401);
  CHECK(service.send("GET", kStore, "", "", attacker).status == 429);
  CHECK(service.send("GET", kStore, "", "", {{"X-Forwarded-For", "192.0.2.67"}}).status == 401);
}

TEST_CASE("forwarded addresses of an untrusted peer are ignored") {
  TestService service(behind_proxy("192.0.2.0/24"));
  const auto project = service.create_project();
  const auto key = service.issue_key(project.id, domain::Environment::kSandbox, domain::ScopeSet::all(),
                                     false, std::nullopt, {*Cidr::parse("203.0.113.0/24")});
  CHECK(service.send("GET", kStore, key, "", {{"X-Forwarded-For", "203.0.113.9"}}).status == 401);
}

TEST_CASE("each request of a connection has its own caller") {
  TestService service(behind_proxy("127.0.0.0/8"));
  const auto project = service.create_project();
  const auto key = service.issue_key(project.id, domain::Environment::kSandbox, domain::ScopeSet::all(),
                                     false, std::nullopt, {*Cidr::parse("203.0.113.0/24")});
  tests::RawConnection connection(service.port());
  const auto status = [&](const std::string& forwarded) {
    connection.send("GET " + kStore + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\n" +
                    forwarded + "\r\n");
    return connection.read_reply().status;
  };
  CHECK(status("X-Forwarded-For: 203.0.113.9\r\n") == 200);
  CHECK(status("") == 401);
  CHECK(status("X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-For: 127.0.0.2\r\n") == 200);
}
