#include <catch2/catch.hpp>

#include "base/text/ascii.h"
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

TEST_CASE("a charge's history lists actors, actions, times and requests") {
  const World world;
  const auto lines = lines_of(world.pixledger.done({"history", "--id", world.charge}));
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].find(world.charge) != std::string::npos);
  CHECK(lines[2].find("environment") != std::string::npos);
  for (const char* heading : {"WHEN", "WHO", "WHAT", "REQUEST"})
    CHECK(lines[4].find(heading) != std::string::npos);
  CHECK(lines[5].find("created for 100.00") != std::string::npos);
  CHECK(lines[6].find("paid 100.00") != std::string::npos);
  CHECK(lines[6].find("key-test") != std::string::npos);
  CHECK(lines[6].find("req_test") != std::string::npos);
}

TEST_CASE("a charge's history is found by its txid, as banks show it") {
  const World world;
  const auto json = world.pixledger.done({"history", "--id", " p" + world.charge, "--json"});
  CHECK(json_at(json, "/kind") == "charge");
  CHECK(json_at(json, "/id") == world.charge);
}

TEST_CASE("a history is shown in the hours of a time zone") {
  const World world;
  const auto text =
      world.pixledger.done({"history", "--id", world.charge, "--timezone", "America/Sao_Paulo"});
  CHECK(lines_of(text)[5].find("-03:00") != std::string::npos);
  const auto json =
      world.pixledger.done({"history", "--id", world.charge, "--json", "--timezone", "America/Sao_Paulo"});
  CHECK(json_at(json, "/events/1/recordedAt").find("-03:00") != std::string::npos);
  CHECK(json_at(json, "/events/1/data/paidAt").find("-03:00") != std::string::npos);
  CHECK(json.find("Z\"") == std::string::npos);
}

TEST_CASE("a history comes as JSON, with the events as the events command shows them") {
  const World world;
  const auto json = world.pixledger.done({"history", "--id", world.charge, "--json"});
  CHECK(json_at(json, "/id") == world.charge);
  CHECK(json_at(json, "/kind") == "charge");
  CHECK(json_at(json, "/events/0/type") == "ChargeCreated");
  CHECK(json_at(json, "/events/1/type") == "ChargePaid");
  CHECK(json_at(json, "/events/1/requestId") == "req_test");
  CHECK(json_at(json, "/events/1/recordedAt").back() == 'Z');
}

TEST_CASE("a customer has a history too") {
  const World world;
  const auto json = world.pixledger.done({"history", "--id", world.customer, "--json"});
  CHECK(json_at(json, "/kind") == "customer");
  CHECK(json_at(json, "/environment") == "sandbox");
  CHECK(json_at(json, "/events/0/type") == "CustomerRegistered");
  CHECK(world.pixledger.done({"history", "--id", world.customer}).find("registered") != std::string::npos);
}

TEST_CASE("a project's history shows each setting before and after, with times of the zone") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  pixledger.done({"project", "set", "--project", project, "--pix-key", "outra@example.com",
                  "--fee-fixed-cents", "25", "--contact", "ajuda@loja.example"});
  const auto text = pixledger.done({"history", "--id", project, "--timezone", "America/Sao_Paulo"});
  const auto lines = lines_of(text);
  CHECK(lines[0].find(project) != std::string::npos);
  const auto& last = lines.back();
  CHECK(last.find("-03:00") != std::string::npos);
  CHECK(last.find("settings changed: pixKey ") != std::string::npos);
  CHECK(last.find(" → outra@example.com, feeFixedCents 0.00 → 0.25, contact none → ajuda@loja.example") !=
        std::string::npos);
  CHECK(json_at(pixledger.done({"history", "--id", project, "--json"}), "/kind") == "project");
}

TEST_CASE("keys and channels have a history, and its actors have names") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto issued = pixledger.done({"key", "issue", "--project", project, "--env", "live", "--name",
                                      "caixa 1", "--expires", "2099-01-31T12:00:00Z", "--json"});
  const auto key = json_at(issued, "/keyId");
  pixledger.done({"key", "revoke", "--key-id", key});
  const auto of_key = pixledger.done({"history", "--id", key, "--timezone", "America/Sao_Paulo"});
  const auto text = json_at(issued, "/key");
  CHECK(of_key.find("API key caixa 1 (…" + text.substr(text.size() - 4) +
                    ") issued for live, may do everything, expires at 2099-01-31T09:00:00.000-03:00") !=
        std::string::npos);
  CHECK(of_key.find("API key revoked") != std::string::npos);
  CHECK(json_at(pixledger.done({"history", "--id", key, "--json"}), "/kind") == "key");

  const auto channel =
      json_at(pixledger.done({"channel", "add", "--project", project, "--url", "http://127.0.0.1:9/a",
                              "--allow-http", "--allow-target", "127.0.0.0/8", "--json"}),
              "/channelId");
  LedgerWithCharges ledger(pixledger.data());
  domain::UpdateChannel update{
      {domain::ProjectId::parse(project).value(), false}, domain::ChannelId::parse(channel).value(), {}};
  update.change.url = "http://127.0.0.1:9/b";
  ledger.execute(update, "key-" + key);
  const auto of_channel = pixledger.done({"history", "--id", channel});
  CHECK(of_channel.find("notification channel changed: url http://127.0.0.1:9/a → http://127.0.0.1:9/b") !=
        std::string::npos);
  CHECK(of_channel.find("key-" + key + " (caixa 1)") != std::string::npos);
  CHECK(json_at(pixledger.done({"history", "--id", channel, "--json"}), "/kind") == "channel");
}

TEST_CASE("without such a charge or customer there is no history") {
  const World world;
  CHECK(world.pixledger.run({"history", "--id", "cabcdefghijkl"}).code == 1);
  CHECK(world.pixledger.run({"history", "--id", "x"}).code == 2);
  CHECK(world.pixledger.run({"history"}).code == 2);
}

TEST_CASE("the history of a payment is found by its end-to-end id, as it is pasted, whatever became of it") {
  const World world;
  const auto paid =
      json_at(world.pixledger.done({"history", "--id", world.charge, "--json"}), "/events/1/data/endToEndId");
  auto small = paid;
  for (auto& c : small) c = to_ascii_lower(c);
  for (const auto& pasted : {paid, " " + paid + "\u00a0", small,
                             paid.substr(0, 9) + " " + paid.substr(9, 12) + "-" + paid.substr(21)}) {
    const auto json = world.pixledger.done({"history", "--id", pasted, "--json"});
    CHECK(json_at(json, "/kind") == "payment");
    CHECK(json_at(json, "/environment") == "sandbox");
    CHECK(json_at(json, "/events/0/type") == "ChargePaid");
    CHECK(world.pixledger.done({"history", "--id", pasted}).find(world.charge) != std::string::npos);
  }
  CHECK(world.pixledger.run({"history", "--id", "E" + paid.substr(2) + "0"}).code == 1);
}
