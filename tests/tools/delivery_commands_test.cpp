#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/servers/https_receiver.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

const std::vector<std::string> kDevelopment{"--allow-http", "--allow-target", "127.0.0.0/8"};

// A project whose channel leads to a receiver, with the worker running.
struct World {
  explicit World(HttpsReceiver::Script script = {}) : receiver(std::move(script)) {
    std::vector<std::string> add{"channel",
                                 "add",
                                 "--project",
                                 project,
                                 "--json",
                                 "--url",
                                 "http://127.0.0.1:" + std::to_string(receiver.port()) + "/"};
    add.insert(add.end(), kDevelopment.begin(), kDevelopment.end());
    channel = json_at(pixledger.done(add), "/channelId");
    auto arguments = kDevelopment;
    arguments.insert(arguments.end(), {"--retry-schedule", "0", "--resume-from", "beginning"});
    worker = std::make_unique<Process>(built_program("pixledger-webhooks"), pixledger.arguments(arguments));
  }

  void create_charge() const {
    LedgerWithCharges(pixledger.data()).create_charge(parsed<domain::ProjectId>(project));
  }
  std::string list(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"deliveries", "list", "--channel", channel, "--json"});
    return pixledger.done(more);
  }
  bool lists(const std::string& part) const {
    return eventually([&] { return list().find(part) != std::string::npos; });
  }

  PixledgerCommand pixledger;
  std::string project = json_at(pixledger.create_project(), "/projectId");
  HttpsReceiver receiver;
  std::string channel;
  std::unique_ptr<Process> worker;
};

}  // namespace

TEST_CASE("deliveries are listed with their attempts, and sent again on request") {
  World world;
  world.create_charge();
  REQUIRE(world.lists(R"("status":"delivered")"));
  const auto listed = world.list({"--status", "delivered"});
  CHECK(json_at(listed, "/0/event") == "transaction.created");
  CHECK(json_at(listed, "/0/channelId") == world.channel);
  CHECK(json_at(listed, "/0/attempts/0/httpStatus") == "200");
  CHECK(json_at(listed, "/0/attempts/0/answer") == "ok");
  CHECK(world.list({"--status", "exhausted"}) == "[]\n");
  CHECK(world.pixledger.done({"deliveries", "list", "--channel", world.channel}).find("delivered") !=
        std::string::npos);

  const auto id = json_at(listed, "/0/id");
  CHECK(json_at(world.pixledger.done({"deliveries", "redeliver", "--id", id, "--json"}), "/deliveryId") ==
        id);
  const auto webhooks = world.receiver.wait_for(2);
  REQUIRE(webhooks.size() == 2);
  CHECK(webhooks[1].header("x-webhook-id") == id);
  CHECK(webhooks[1].header("x-webhook-attempt") == "2");
}

TEST_CASE("a channel's missed webhooks are sent on request") {
  World world([](const ReceivedWebhook&, std::size_t nth) { return ReceiverAnswer{nth == 1 ? 500 : 200}; });
  world.create_charge();
  REQUIRE(world.lists(R"("status":"exhausted")"));
  const auto recovered =
      world.pixledger.done({"deliveries", "recover", "--channel", world.channel, "--since", "1h", "--json"});
  CHECK(json_at(recovered, "/queued") == "1");
  CHECK(json_at(recovered, "/hastened") == "0");
  CHECK(world.lists(R"("status":"delivered")"));
}

TEST_CASE("deliveries and channels that do not exist are said not to") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const std::string nobody = "cnobody00000000000000000a";
  CHECK(pixledger.run({"deliveries", "list", "--channel", nobody}).code == 1);
  CHECK(pixledger.run({"deliveries", "redeliver", "--id", nobody}).code == 1);
  CHECK(pixledger.run({"deliveries", "recover", "--channel", nobody, "--since", "1h"}).code == 1);
  CHECK(pixledger.run({"deliveries", "recover", "--channel", nobody, "--since", "soon"}).code == 2);
  CHECK(pixledger.run({"deliveries", "list", "--channel", nobody, "--status", "lost"}).code == 2);
}
