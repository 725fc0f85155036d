#include <catch2/catch.hpp>

#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

const std::string kPath = "/api/v1/blocklist";

std::string entry_body(const std::string& type, const std::string& value) {
  return R"({"type":")" + type + R"(","value":")" + value + R"(","reason":"chargeback"})";
}

struct Fixture {
  HttpAnswer add(const std::string& type, const std::string& value) const {
    return service.send("POST", kPath, project.live_key, entry_body(type, value));
  }
  HttpAnswer list(const std::string& query = "") const {
    return service.send("GET", kPath + query, project.live_key);
  }
  HttpAnswer remove(const std::string& id) const {
    return service.send("DELETE", kPath + "/" + id, project.live_key);
  }
  HttpAnswer create() const {
    return service.send("POST", "/api/v1/transactions", project.live_key, creation_body());
  }

  TestService service;
  TestService::Project project = service.create_project();
};

}  // namespace

TEST_CASE("an entry blocks its payer until it is removed") {
  for (const auto& [type, value] :
       {std::pair("ip", "203.0.113.7"), std::pair("cidr", "203.0.113.0/24"),
        std::pair("email", "MARIA@example.com"), std::pair("document", "52998224725")}) {
    Fixture fixture;
    const auto added = fixture.add(type, value);
    INFO(added.body);
    REQUIRE(added.status == 201);
    CHECK(added.body == R"({"success":true,"data":{"id":")" + added.at("/data/id") +
                            R"(","environment":"live","type":")" + type + R"(","value":")" + value +
                            R"(","reason":"chargeback","createdAt":")" +
                            to_iso8601(fixture.service.clock().now()) + R"("}})");
    CHECK(outcome_of(fixture.create()) == "403 ERR_FRAUD_001");
    const auto removed = fixture.remove(added.at("/data/id"));
    CHECK(removed.status == 200);
    CHECK(removed.body == added.body);
    CHECK(outcome_of(fixture.create()) == "201");
    CHECK(outcome_of(fixture.remove(added.at("/data/id"))) == "404 ERR_BLOCKLIST_001");
  }
}

TEST_CASE("adding an existing entry returns it unchanged") {
  Fixture fixture;
  const auto added = fixture.add("email", "maria@example.com");
  fixture.add("ip", "2001:db8::1");
  const auto before = fixture.service.log().head();
  fixture.service.clock().advance_millis(1'000);
  const auto again = fixture.add("email", "MARIA@EXAMPLE.COM");
  CHECK(again.status == 200);
  CHECK(again.body == added.body);
  CHECK(fixture.service.log().head() == before);
}

TEST_CASE("the blocklist is listed page by page, the newest first") {
  Fixture fixture;
  const auto empty = fixture.list();
  CHECK(empty.body == R"({"success":true,"data":[],"meta":{"total":0,"page":1,"limit":10,"totalPages":0}})");
  for (int i = 10; i < 22; ++i) fixture.add("ip", "203.0.113." + std::to_string(i));
  const auto first = fixture.list();
  CHECK(first.at("/data/0/value") == "203.0.113.21");
  CHECK(first.at("/data/9/value") == "203.0.113.12");
  CHECK(first.at("/meta") == R"({"total":12,"page":1,"limit":10,"totalPages":2})");
  const auto second = fixture.list("?page=2");
  CHECK(second.at("/data/1/value") == "203.0.113.10");
  CHECK_FALSE(second.has("/data/2"));
  CHECK(fixture.list("?page=3&limit=6").at("/data") == "[]");
  CHECK(fixture.list("?page=1000000000&limit=100").at("/meta/total") == "12");
  CHECK(fixture.list("?page=&limit=").body == first.body);
  CHECK(fixture.service.send("GET", kPath + "/?page=1", fixture.project.live_key).body == first.body);
  const auto head = fixture.service.send("HEAD", kPath, fixture.project.live_key);
  CHECK(head.status == 200);
  CHECK(head.body.empty());
}

TEST_CASE("an impossible page is not valid") {
  Fixture fixture;
  for (const std::string query : {"?page=0", "?limit=0", "?limit=101", "?page=-1", "?page=1.5", "?page=x",
                                  "?limit=1e1", "?page=1&page=2", "?page=1000000001", "?page=%ff"}) {
    INFO(query);
    CHECK(outcome_of(fixture.list(query)) == "400 ERR_VALIDATION_001");
  }
  CHECK(fixture.list("?page=x&limit=y").has("/details/1"));
}

TEST_CASE("every violation of an entry is listed, and its type determines the valid values") {
  Fixture fixture;
  const auto send = [&](const std::string& body) {
    return fixture.service.send("POST", kPath, fixture.project.live_key, body);
  };
  const auto nothing = send(R"({"reason":""})");
  CHECK(nothing.at("/details/0/field") == "type");
  CHECK(nothing.at("/details/1/field") == "value");
  CHECK(nothing.at("/details/2/field") == "reason");
  CHECK(send(entry_body("phone", "1")).at("/details/0/reason") == "must be ip, cidr, email or document");
  const auto reason = [&](const std::string& type) {
    const auto answer = send(entry_body(type, "nonsense"));
    CHECK(answer.body.find("nonsense") == std::string::npos);
    return answer.at("/details/0/reason");
  };
  CHECK(reason("ip") == IpAddress::kRule);
  CHECK(reason("cidr") == Cidr::kRule);
  CHECK(reason("email") == EmailAddress::kRule);
  CHECK(reason("document") == domain::Document::kRule);
  CHECK(outcome_of(send("")) == "400 ERR_VALIDATION_001");
  CHECK(outcome_of(fixture.remove("bad-id")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a project's blocklist is its own, and belongs to the customers' scope") {
  Fixture fixture;
  auto& service = fixture.service;
  const auto id = fixture.add("ip", "203.0.113.7").at("/data/id");
  const auto stranger = service.create_project();
  CHECK(service.send("GET", kPath, stranger.live_key).at("/meta/total") == "0");
  CHECK(outcome_of(service.send("DELETE", kPath + "/" + id, stranger.live_key)) == "404 ERR_BLOCKLIST_001");
  CHECK(service.send("POST", "/api/v1/transactions", stranger.test_key, creation_body()).status == 201);

  const auto key_of = [&](const char* scopes) {
    return service.issue_key(fixture.project.id, domain::Environment::kLive,
                             *domain::ScopeSet::parse(scopes));
  };
  const auto reader = key_of("customers:read");
  const auto other = key_of("transactions:write");
  CHECK(outcome_of(service.send("GET", kPath, reader)) == "200");
  CHECK(outcome_of(service.send("GET", kPath, other)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("POST", kPath, reader, entry_body("ip", "203.0.113.8"))) ==
        "403 ERR_AUTH_010");
  CHECK(outcome_of(service.send("DELETE", kPath + "/" + id, reader)) == "403 ERR_AUTH_010");
}

TEST_CASE("a repeated addition shows the entry as it was then, although it is gone") {
  Fixture fixture;
  const auto body = entry_body("ip", "203.0.113.7");
  const auto remove_all = [&] {
    const auto listed = fixture.list();
    CHECK(fixture.remove(listed.at("/data/0/id")).status == 200);
  };
  const auto added =
      check_repeats(fixture.service, "POST", kPath, fixture.project.live_key, body, remove_all);
  CHECK(added.status == 201);
  CHECK(fixture.list().at("/meta/total") == "0");

  const auto& test_key = fixture.project.test_key;
  const auto tried = fixture.service.send("POST", kPath, test_key, body).at("/data/id");
  const auto known = check_repeats(fixture.service, "POST", kPath, test_key, body, [&] {
    CHECK(fixture.service.send("DELETE", kPath + "/" + tried, test_key).status == 200);
  });
  CHECK(known.status == 200);
}

}  // namespace pixledger::tests
