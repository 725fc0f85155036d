#include <catch2/catch.hpp>

#include "eventstore/reading/erasure.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using namespace pixledger::tests;

std::string with_member(std::string body, const std::string& member) {
  return body.replace(body.rfind('}'), 1, "," + member + "}");
}
std::string creation_with(const std::string& metadata) {
  return with_member(creation_body(), "\"metadata\":" + metadata);
}

struct World {
  TestService service;
  TestService::Project project = service.create_project();

  HttpAnswer get(const std::string& path) const { return service.send("GET", path, project.live_key); }
  HttpAnswer post(const std::string& path, const std::string& body) const {
    return service.send("POST", path, project.live_key, body);
  }
  std::string create(const std::string& metadata) const {
    const auto answer = post("/api/v1/transactions", creation_with(metadata));
    REQUIRE(answer.status == 201);
    return answer.at("/data/id");
  }
  std::string found(const std::string& filters) const {
    const auto answer = get("/api/v1/transactions?" + filters);
    return answer.status == 200 ? answer.at("/meta/total") : outcome_of(answer);
  }
};

const std::string kMetadata = R"({"pedido":"4711","canal":"balcão"})";
const std::string kShown = R"({"canal":"balcão","pedido":"4711"})";

}  // namespace

TEST_CASE("a charge's metadata is shown wherever the charge is, sorted by key") {
  const World world;
  const auto id = world.create(kMetadata);
  for (const std::string group : {"/api", "/api/v1"}) {
    CHECK(world.get(group + "/transactions/" + id).at("/data/metadata") == kShown);
    CHECK(world.get(group + "/transactions").at("/data/0/metadata") == kShown);
  }
  const auto now =
      to_iso8601(world.service.views().database()->find_charge(*domain::ChargeId::parse(id))->created_at);
  CHECK(world.get("/api/v1/transactions/" + id + "?asOf=" + now).at("/data/metadata") == kShown);
  CHECK(world.get("/api/v1/events").body.find("\"metadata\":" + kShown) != std::string::npos);

  const auto plain = create_charge(world.service, world.project.live_key);
  CHECK(world.get("/api/v1/transactions/" + plain).at("/data/metadata") == "{}");
}

TEST_CASE("metadata is an object of at most 20 texts, and every fault in it is reported") {
  const World world;
  const auto refused = [&](const std::string& metadata) {
    const auto answer = world.post("/api/v1/transactions", creation_with(metadata));
    return outcome_of(answer) + " " + answer.at("/details/0/field");
  };
  std::string many = R"({"k0":"")";
  for (int i = 1; i < 21; ++i) many += ",\"k" + std::to_string(i) + "\":\"\"";
  CHECK(refused(many + "}") == "400 ERR_VALIDATION_001 metadata");
  for (const std::string bad : {"[]", "\"a\"", "7", R"({"a b":"x"})", R"({"":"x"})"})
    CHECK(refused(bad) == "400 ERR_VALIDATION_001 metadata");
  for (const std::string bad : {R"({"a":1})", R"({"a":null})", R"({"a":{}})", R"({"a":"1","a":"2"})"})
    CHECK(refused(bad) == "400 ERR_VALIDATION_001 metadata.a");
  const auto faults = R"({"a":1,"b b":"x","52998224725":[],"d":"x\u0000y","e":"good","e":"twice"})";
  const auto answer = world.post("/api/v1/transactions", creation_with(faults));
  std::string fields;
  for (int i = 0; answer.has("/details/" + std::to_string(i)); ++i)
    fields += answer.at("/details/" + std::to_string(i) + "/field") + " ";
  CHECK(fields == "metadata.a metadata metadata.52… metadata.d metadata.e ");
  CHECK(refused("{\"a\":\"" + std::string(501, 'x') + "\"}") == "400 ERR_VALIDATION_001 metadata.a");
  CHECK(refused(R"({"a":"x\u0000y"})") == "400 ERR_VALIDATION_001 metadata.a");
  for (const std::string good : {"null", "{}", R"({"a":""})"})
    CHECK(world.post("/api/v1/transactions", creation_with(good)).status == 201);
}

TEST_CASE("a text with invisible characters is refused with a reason that names them") {
  const World world;
  const std::string reason =
      "must be without invisible characters and those that turn the direction of writing";
  for (const std::string hidden : {"\u202e", "\u200b", "\u2066", "\ufeff"}) {
    const auto customer = world.post("/api/v1/customers", customer_body("Ma" + hidden + "ria"));
    CHECK(customer.status == 400);
    CHECK(customer.body.find(R"({"field":"name","reason":")" + reason) != std::string::npos);
    const auto charge =
        world.post("/api/v1/transactions", creation_with(R"({"pedido":"47)" + hidden + R"(11"})"));
    CHECK(charge.status == 400);
    CHECK(charge.body.find(R"({"field":"metadata.pedido","reason":")" + reason) != std::string::npos);
  }
}

TEST_CASE("charges are found by their metadata, with other filters, after restarts too") {
  World world;
  const auto id = world.create(kMetadata);
  world.create(R"({"pedido":"4712","canal":"site"})");
  create_charge(world.service, world.project.live_key);
  const auto customer = customer_of(world.service, world.project.live_key, id);
  for (const auto lost :
       {TestService::Lost::kNothing, TestService::Lost::kListSnapshot, TestService::Lost::kViews}) {
    world.service.restart(lost);
    CHECK(world.found("metadata[pedido]=4711") == "1");
    CHECK(world.found("metadata%5Bpedido%5D=4711&metadata[canal]=balc%C3%A3o") == "1");
    CHECK(world.found("metadata[pedido]=4711&metadata[canal]=site") == "0");
    CHECK(world.found("metadata[pedido]=471") == "0");
    CHECK(world.found("metadata[pedido]=4711&customerId=" + customer) == "1");
    CHECK(world.found("metadata[pedido]=4711&customerId=cnobody000000000") == "0");
    CHECK(world.found("metadata[pedido]=4711&status=paid") == "0");
    CHECK(world.found("metadata[pedido]=4711&dateTo=2001-01-01") == "0");
    CHECK(world.found("metadata[pedido]=") == "3");
  }
  CHECK(world.found("metadata[a%20b]=1") == "400 ERR_VALIDATION_001");
  CHECK(world.found("metadata[a]=1&metadata[a]=2") == "400 ERR_VALIDATION_001");
  CHECK(world.found("metadata=1") == "400 ERR_VALIDATION_001");
}

TEST_CASE("a customer's metadata survives a charge's creation, can be replaced, and is shown") {
  const World world;
  const auto save = [&](const std::string& member) {
    const auto body = member.empty() ? customer_body() : with_member(customer_body(), member);
    return world.post("/api/v1/customers", body).at("/data/metadata");
  };
  CHECK(save("") == "{}");
  CHECK(save(R"("metadata":{"plano":"ouro"})") == R"({"plano":"ouro"})");
  const auto charge = create_charge(world.service, world.project.live_key);
  CHECK(save("") == R"({"plano":"ouro"})");
  const auto id = customer_of(world.service, world.project.live_key, charge);
  for (const std::string path : {"/api/customers/", "/api/v1/customers/"})
    CHECK(world.get(path + id).at("/data/metadata") == R"({"plano":"ouro"})");
  CHECK(world.get("/api/v1/customers").at("/data/0/metadata") == R"({"plano":"ouro"})");
  CHECK(save(R"("metadata":{})") == "{}");
}

TEST_CASE("a customer's erasure removes their metadata, and that of their charges, from all answers") {
  World world;
  const auto id = world.create(kMetadata);
  const auto customer = customer_of(world.service, world.project.live_key, id);
  REQUIRE(world.post("/api/v1/customers", with_member(customer_body(), R"("metadata":{"plano":"ouro"})"))
              .status == 200);
  const auto erased = domain::CustomerId::parse(customer).value();
  const auto stream = world.service.log().claim_holder(domain::customer_claim(erased)).value();
  world.service.execute(domain::EraseCustomer{stream, erased, std::nullopt});
  for (const auto lost : {TestService::Lost::kNothing, TestService::Lost::kViews}) {
    world.service.restart(lost);
    CHECK(world.get("/api/v1/customers/" + customer).at("/data/metadata") == "null");
    CHECK(world.get("/api/v1/transactions/" + id).at("/data/metadata") == "{}");
    CHECK(world.get("/api/v1/transactions").at("/data/0/metadata") == "{}");
    CHECK(world.found("metadata[pedido]=4711") == "0");
    CHECK(world.found("metadata[pedido]=4711&customerId=" + customer) == "0");
  }
}
