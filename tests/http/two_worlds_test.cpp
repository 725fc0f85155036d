#include <catch2/catch.hpp>

#include "tests/support/servers/api_calls.h"

// Live and sandbox share only the project; a live key sees both, a test key only the sandbox.
namespace pixledger::tests {
namespace {

const std::string kCustomers = "/api/v1/customers";
const std::string kBlocklist = "/api/v1/blocklist";

struct Fixture {
  HttpAnswer live(const std::string& method, const std::string& path, const std::string& body = "") const {
    return service.send(method, path, project.live_key, body);
  }
  HttpAnswer test(const std::string& method, const std::string& path, const std::string& body = "") const {
    return service.send(method, path, project.test_key, body);
  }

  TestService service;
  TestService::Project project = service.create_project();
};

std::string in(std::string body, const std::string& environment) {
  return body.insert(1, R"("environment":")" + environment + R"(",)");
}

}  // namespace

TEST_CASE("a sandbox charge with a live customer's document changes nothing of theirs") {
  Fixture fixture;
  const auto live = create_charge(fixture.service, fixture.project.live_key);
  const auto customer = customer_of(fixture.service, fixture.project.live_key, live);
  const auto before = fixture.live("GET", kCustomers + "/" + customer).body;
  const auto saved = fixture.test("POST", kCustomers, customer_body("QA"));
  CHECK(saved.status == 201);
  CHECK(saved.at("/data/environment") == "sandbox");
  const auto sandbox = create_charge(fixture.service, fixture.project.test_key);
  CHECK(customer_of(fixture.service, fixture.project.test_key, sandbox) == saved.at("/data/id"));
  CHECK(saved.at("/data/id") != customer);
  CHECK(fixture.live("GET", kCustomers + "/" + customer).body == before);
}

TEST_CASE("every answer names its environment") {
  Fixture fixture;
  for (const std::string environment : {"live", "sandbox"}) {
    INFO(environment);
    const auto& key = environment == "live" ? fixture.project.live_key : fixture.project.test_key;
    const auto get = [&](const std::string& path) { return fixture.service.send("GET", path, key); };
    const auto created = fixture.service.send("POST", "/api/v1/transactions", key, creation_body());
    CHECK(created.at("/data/environment") == environment);
    const auto id = created.at("/data/id");
    CHECK(get("/api/transactions/" + id).at("/data/environment") == environment);
    for (const std::string list : {"/api/transactions", "/api/v1/transactions"})
      CHECK(get(list + "?environment=" + environment).at("/data/0/environment") == environment);
    const auto customer = get(kCustomers + "/" + customer_of(fixture.service, key, id));
    CHECK(customer.at("/data/environment") == environment);
    CHECK(customer.at("/data/recentTransactions/0/environment") == environment);
    CHECK(get(kCustomers).at("/data/0/environment") == environment);
    const auto entry = fixture.service.send("POST", kBlocklist, key, R"({"type":"ip","value":"192.0.2.1"})");
    CHECK(entry.at("/data/environment") == environment);
    CHECK(get(kBlocklist).at("/data/0/environment") == environment);
  }
}

TEST_CASE("lists are of the key's own environment, transactions of both, and a test key has nothing live") {
  Fixture fixture;
  create_charge(fixture.service, fixture.project.live_key);
  for (int i = 0; i < 2; ++i) create_charge(fixture.service, fixture.project.test_key);
  fixture.live("POST", kBlocklist, R"({"type":"ip","value":"192.0.2.1"})");
  for (const std::string ip : {"192.0.2.2", "192.0.2.3"})
    fixture.test("POST", kBlocklist, R"({"type":"ip","value":")" + ip + "\"}");
  fixture.test("POST", kCustomers, customer_body("Outra", "11144477735"));
  const auto total = [&](bool live, const std::string& path) {
    const auto answer = live ? fixture.live("GET", path) : fixture.test("GET", path);
    return answer.at("/meta/total");
  };
  for (const auto& path : {kCustomers, kBlocklist}) {
    INFO(path);
    CHECK(total(true, path) == "1");
    CHECK(total(true, path + "?environment=live") == "1");
    CHECK(total(true, path + "?environment=sandbox") == "2");
    CHECK(total(false, path) == "2");
    CHECK(total(false, path + "?environment=sandbox") == "2");
    CHECK(total(false, path + "?environment=live") == "0");
    CHECK(outcome_of(fixture.live("GET", path + "?environment=test")) == "400 ERR_VALIDATION_001");
  }
  for (const std::string path : {"/api/transactions", "/api/v1/transactions"}) {
    CHECK(total(true, path) == "3");
    CHECK(total(true, path + "?environment=live") == "1");
    CHECK(total(false, path) == "2");
    CHECK(total(false, path + "?environment=live") == "0");
  }
}

TEST_CASE("live data is refused to a test key, with the reason") {
  Fixture fixture;
  const auto charge = create_charge(fixture.service, fixture.project.live_key);
  const auto customer = customer_of(fixture.service, fixture.project.live_key, charge);
  const auto entry = fixture.live("POST", kBlocklist, R"({"type":"ip","value":"192.0.2.1"})").at("/data/id");
  const std::string block = R"({"blockType":"manual","reason":"chargeback"})";
  const auto sandbox_only = fixture.service.issue_key(fixture.project.id, domain::Environment::kSandbox,
                                                      domain::ScopeSet::all(), true);
  const auto before = fixture.service.log().head();
  for (const auto& key : {fixture.project.test_key, sandbox_only}) {
    for (const auto& [method, path, body] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {"GET", "/api/transactions/" + charge, ""},
             {"GET", "/api/v1/transactions/" + charge, ""},
             {"GET", "/api/v1/transactions/" + charge + "/receipt", ""},
             {"POST", "/api/v1/transactions/" + charge + "/cancel", ""},
             {"POST", "/api/v1/transactions/" + charge + "/refund", ""},
             {"GET", "/api/customers/" + customer, ""},
             {"GET", kCustomers + "/" + customer, ""},
             {"POST", kCustomers + "/" + customer + "/block", block},
             {"POST", kCustomers + "/" + customer + "/unblock", ""},
             {"POST", kCustomers, in(customer_body("Maria"), "live")},
             {"POST", kBlocklist, in(R"({"type":"ip","value":"192.0.2.9"})", "live")},
             {"DELETE", kBlocklist + "/" + entry, ""},
             {"PATCH", "/api/v1/store", R"({"name":"Outra"})"}}) {
      INFO(method << " " << path);
      const auto answer = fixture.service.send(method, path, key, body);
      CHECK(outcome_of(answer) == "403 ERR_AUTH_010");
      CHECK(answer.at("/message").find("live") != std::string::npos);
    }
    const auto invalid = fixture.service.send("PATCH", "/api/v1/store", key, R"({"name":7,"pixKey":"x"})");
    CHECK(outcome_of(invalid) == "400 ERR_VALIDATION_001");
    CHECK(invalid.has("/details/1"));
  }
  CHECK(fixture.service.log().head() == before);
}

TEST_CASE("a block and a blocklist entry hold in their own environment alone") {
  Fixture fixture;
  const auto live = create_charge(fixture.service, fixture.project.live_key);
  const auto customer = customer_of(fixture.service, fixture.project.live_key, live);
  const std::string block = R"({"blockType":"fraud","reason":"chargeback"})";
  CHECK(fixture.live("POST", kCustomers + "/" + customer + "/block", block).status == 200);
  const std::string creation = "/api/v1/transactions";
  CHECK(outcome_of(fixture.live("POST", creation, creation_body())) == "403 ERR_CUSTOMER_002");
  CHECK(outcome_of(fixture.test("POST", creation, creation_body())) == "201");
  CHECK(fixture.live("GET", kCustomers + "/" + customer).has("/data/fraudEvents/0"));

  fixture.test("POST", kBlocklist, R"({"type":"document","value":"52998224725"})");
  CHECK(outcome_of(fixture.test("POST", creation, creation_body())) == "403 ERR_FRAUD_001");
  const auto sandbox = fixture.test("GET", kCustomers).at("/data/0/id");
  const auto refused = fixture.test("GET", kCustomers + "/" + sandbox);
  CHECK(refused.at("/data/fraudEvents/0/fraudType") == "blocklist_document");
  CHECK_FALSE(refused.has("/data/fraudEvents/1"));
}

TEST_CASE("a live key works in either environment") {
  Fixture fixture;
  const auto saved = fixture.live("POST", kCustomers, in(customer_body("QA"), "sandbox"));
  CHECK(saved.status == 201);
  CHECK(saved.at("/data/environment") == "sandbox");
  const auto path = kCustomers + "/" + saved.at("/data/id");
  CHECK(fixture.live("POST", path + "/block", R"({"blockType":"manual","reason":"x"})").status == 200);
  CHECK(fixture.test("GET", path).at("/data/isBlocked") == "true");
  const auto entry = fixture.live("POST", kBlocklist, in(R"({"type":"ip","value":"192.0.2.9"})", "sandbox"));
  CHECK(entry.at("/data/environment") == "sandbox");
  CHECK(fixture.test("GET", kBlocklist).at("/meta/total") == "1");
  CHECK(fixture.live("DELETE", kBlocklist + "/" + entry.at("/data/id")).at("/data/environment") == "sandbox");
  for (const auto& [where, body] :
       {std::pair(kCustomers, customer_body("QA")),
        std::pair(kBlocklist, std::string(R"({"type":"ip","value":"192.0.2.9"})"))}) {
    const auto answer = fixture.live("POST", where, in(body, "test"));
    CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
    CHECK(answer.at("/details/0/field") == "environment");
  }
}

TEST_CASE("the environments stay separate when the read models are rebuilt") {
  Fixture fixture;
  create_charge(fixture.service, fixture.project.live_key);
  create_charge(fixture.service, fixture.project.test_key);
  fixture.test("POST", kBlocklist, R"({"type":"document","value":"52998224725"})");
  fixture.test("POST", "/api/v1/transactions", creation_body());
  const auto customer = kCustomers + "/" + fixture.test("GET", kCustomers).at("/data/0/id");
  const std::vector<std::string> paths = {kCustomers + "?environment=sandbox", kCustomers, customer,
                                          "/api/v1/transactions"};
  std::vector<std::string> before;
  for (const auto& path : paths) before.push_back(fixture.live("GET", path).body);
  for (const auto lost :
       {TestService::Lost::kNothing, TestService::Lost::kListSnapshot, TestService::Lost::kViews}) {
    fixture.service.restart(lost);
    for (std::size_t i = 0; i < paths.size(); ++i) CHECK(fixture.live("GET", paths[i]).body == before[i]);
  }
}

}  // namespace pixledger::tests
