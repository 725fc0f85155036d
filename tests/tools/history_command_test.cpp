#include <catch2/catch.hpp>

#include "eventstore/reading/state_reader.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct World {
  PixledgerCommand pixledger;
  std::string charge;
  std::string customer;

  World() {
    const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
    LedgerWithCharges ledger(pixledger.data());
    const auto id = ledger.create_charge(project);
    ledger.pay(project, id);
    charge = id.text();
    customer = eventstore::fold_as<domain::Charge>(ledger.log(), domain::charge_stream(id))->customer.text();
  }
};

}  // namespace

TEST_CASE("a charge's history tells who did what, when, by which request") {
  const World world;
  const auto lines = lines_of(world.pixledger.done({"history", "--id", world.charge}));
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].find(world.charge) != std::string::npos);
  for (const char* heading : {"WHEN", "WHO", "WHAT", "REQUEST"})
    CHECK(lines[3].find(heading) != std::string::npos);
  CHECK(lines[4].find("created for 100.00") != std::string::npos);
  CHECK(lines[5].find("paid 100.00") != std::string::npos);
  CHECK(lines[5].find("key-test") != std::string::npos);
  CHECK(lines[5].find("req_test") != std::string::npos);
}

TEST_CASE("a history is shown in the hours of a time zone") {
  const World world;
  const auto text =
      world.pixledger.done({"history", "--id", world.charge, "--timezone", "America/Sao_Paulo"});
  CHECK(lines_of(text)[4].find("-03:00") != std::string::npos);
}

TEST_CASE("a history comes as JSON, with the events as the events command shows them") {
  const World world;
  const auto json = world.pixledger.done({"history", "--id", world.charge, "--json"});
  CHECK(json_at(json, "/id") == world.charge);
  CHECK(json_at(json, "/kind") == "charge");
  CHECK(json_at(json, "/events/0/type") == "ChargeCreated");
  CHECK(json_at(json, "/events/1/type") == "ChargePaid");
  CHECK(json_at(json, "/events/1/requestId") == "req_test");
}

TEST_CASE("a customer has a history too") {
  const World world;
  const auto json = world.pixledger.done({"history", "--id", world.customer, "--json"});
  CHECK(json_at(json, "/kind") == "customer");
  CHECK(json_at(json, "/events/0/type") == "CustomerRegistered");
  CHECK(world.pixledger.done({"history", "--id", world.customer}).find("registered") != std::string::npos);
}

TEST_CASE("without such a charge or customer there is no history") {
  const World world;
  CHECK(world.pixledger.run({"history", "--id", "cabcdefghijkl"}).code == 1);
  CHECK(world.pixledger.run({"history", "--id", "x"}).code == 2);
  CHECK(world.pixledger.run({"history"}).code == 2);
}
