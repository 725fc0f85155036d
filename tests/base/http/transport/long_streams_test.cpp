#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"

// Streams that a merchant has made long are not read again for every request.
namespace pixledger::tests {
namespace {

constexpr int kChanges = 100;
// Other events that a request reads: the caller's key and project, and those that the projector applies.
constexpr std::size_t kReadBeside = 30;

struct Fixture {
  Fixture() {
    for (int i = 0; i < kChanges; ++i) REQUIRE(save(i).at("/success") == "true");
    service.server_log().take_count();
  }

  HttpAnswer save(int change) const {
    return service.send("POST", "/api/v1/customers", project.test_key,
                        customer_body("Maria " + std::to_string(change)));
  }

  TestService service;
  TestService::Project project = service.create_project();
};

}  // namespace

TEST_CASE("saving a customer reads their new events, however often they were saved") {
  const Fixture fixture;
  REQUIRE(fixture.save(kChanges).status == 200);
  CHECK(fixture.service.server_log().take_count() < kReadBeside);
}

TEST_CASE("a charge is cancelled and refunded without reading its customer's whole stream") {
  const Fixture fixture;
  const auto& [service, project] = fixture;
  const auto cancelled = create_charge(service, project.test_key);
  const auto refunded = create_charge(service, project.test_key);
  REQUIRE(service.send("POST", "/api/sandbox/transactions/" + refunded + "/pay", project.test_key).status ==
          200);
  service.server_log().take_count();

  const auto path = "/api/v1/transactions/";
  const auto first = service.send("POST", path + cancelled + "/cancel", project.test_key);
  REQUIRE(first.status == 200);
  CHECK(first.at("/data/customer/name") == "Maria Silva");
  CHECK(service.server_log().take_count() < kReadBeside);
  REQUIRE(service.send("POST", path + refunded + "/refund", project.test_key).status == 200);
  CHECK(service.server_log().take_count() < kReadBeside);
}

TEST_CASE(
    "a request whose time is over gives up on what is long: proofs, a customer's page, missed webhooks") {
  TestServiceOptions options;
  options.server.work_max = std::chrono::milliseconds(0);
  TestService service(options);
  const auto project = service.create_project();
  auto creation = sample_creation();
  creation.project = project.id;
  const auto created = service.execute(creation);
  auto channel = sample_channel();
  channel.project = project.id;
  service.execute(channel);
  const auto charge = created.events().back().stream.key();
  const auto customer =
      std::get<domain::ChargeCreated>(std::get<domain::ChargeEvent>(created.events().back().event)).customer;

  const auto get = [&](const std::string& path) { return service.send("GET", path, project.test_key); };
  REQUIRE(get("/api/transactions/" + std::string(charge)).status == 200);
  CHECK(get("/api/v1/transactions/" + std::string(charge) + "/receipt").status == 503);
  CHECK(get("/api/v1/customers/" + customer.text()).status == 503);
  const auto recovery = "/api/v1/notification-channels/" + channel.id.text() + "/recover";
  const auto before = service.log().head();
  CHECK(service.send("POST", recovery, project.live_key, R"({"since":"2026-01-01"})").status == 503);
  CHECK(service.log().head() == before);  // its head was not even read
}

}  // namespace pixledger::tests
