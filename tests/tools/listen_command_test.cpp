#include <catch2/catch.hpp>
#include <csignal>
#include <future>
#include <memory>

#include "base/platform/clock_and_entropy.h"
#include "stores/deliveries/channels.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/https_receiver.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct World {
  explicit World(HttpsReceiver::Script script = {}) : receiver(std::move(script)) {}

  PixledgerCommand pixledger;
  std::string project = json_at(pixledger.create_project(), "/projectId");
  HttpsReceiver receiver;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(receiver.port()) + "/hooks"; }
  domain::ProjectId project_id() const { return parsed<domain::ProjectId>(project); }
  std::unique_ptr<Process> listen(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"listen", "--project", project, "--forward-to", url(), "--json"});
    auto process = std::make_unique<Process>(built_program("pixledger"), pixledger.arguments(more));
    REQUIRE(process->wait_for_out("\n"));
    return process;
  }
};

bool is_signed(const ReceivedWebhook& webhook, const std::string& secret) {
  return stores::verify_webhook(webhook.header("x-webhook-signature"), HmacSha256(secret), webhook.body,
                                SystemClock().now());
}

}  // namespace

TEST_CASE("events are forwarded as they happen, signed with the secret that is printed") {
  const World world;
  LedgerWithCharges ledger(world.pixledger.data());
  ledger.create_charge(world.project_id());
  const auto process = world.listen();
  const auto secret = json_at(lines_of(process->out()).at(0), "/secret");
  const auto charge = ledger.create_charge(world.project_id());
  ledger.pay(world.project_id(), charge);
  const auto webhooks = world.receiver.wait_for(2);
  REQUIRE(webhooks.size() == 2);
  for (const auto& webhook : webhooks) {
    CHECK(webhook.path == "/hooks");
    CHECK(is_signed(webhook, secret));
    CHECK(webhook.body.find(charge.text()) != std::string::npos);
  }
  CHECK(webhooks[0].header("x-webhook-event") == "transaction.created");
  CHECK(webhooks[1].header("x-webhook-event") == "transaction.paid");
  REQUIRE(process->wait_for_out("transaction.paid"));
  process->send(SIGTERM);
  CHECK(process->wait() == 0);
  CHECK(json_at(lines_of(process->out()).at(1), "/httpStatus") == "200");
}

TEST_CASE("earlier events are forwarded on request, in order") {
  const World world;
  LedgerWithCharges ledger(world.pixledger.data());
  const auto charge = ledger.create_charge(world.project_id());
  ledger.pay(world.project_id(), charge);
  const auto process = world.listen({"--since", "2h", "--secret", "whsec_mine", "--api-version", "v1"});
  const auto webhooks = world.receiver.wait_for(2);
  REQUIRE(webhooks.size() == 2);
  CHECK(webhooks[0].header("x-webhook-sequence") == "1");
  CHECK(webhooks[1].header("x-webhook-sequence") == "2");
  CHECK(is_signed(webhooks[1], "whsec_mine"));
  CHECK(webhooks[1].body.find("apiVersion") == std::string::npos);
}

TEST_CASE("it ends after the event under way, however many are still to come") {
  std::promise<void> stopped;
  const World world([told = stopped.get_future().share()](const ReceivedWebhook&, std::size_t) {
    told.wait();
    return ReceiverAnswer{};
  });
  LedgerWithCharges ledger(world.pixledger.data());
  for (int i = 0; i < 3; ++i) ledger.create_charge(world.project_id());
  const auto process = world.listen({"--since", "2h"});
  CHECK(world.receiver.wait_for(1).size() == 1);
  process->send(SIGTERM);
  stopped.set_value();
  CHECK(process->wait() == 0);
  CHECK(world.receiver.received().size() == 1);
}

TEST_CASE("events wait for a receiver that is not there yet") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  Process process(built_program("pixledger"),
                  pixledger.arguments({"listen", "--project", project, "--since", "1h", "--forward-to",
                                       "http://127.0.0.1:1/", "--json"}));
  LedgerWithCharges(pixledger.data()).create_charge(parsed<domain::ProjectId>(project));
  CHECK(process.wait_for_out(R"("attempt":2,"httpStatus":0)"));
  process.send(SIGTERM);
  CHECK(process.wait() == 0);
}

TEST_CASE("nothing is forwarded for a missing project, or to an invalid address") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const std::string url = "http://127.0.0.1:1/";
  CHECK(pixledger.run({"listen", "--project", "cnobody00000000000000000a", "--forward-to", url}).code == 1);
  CHECK(pixledger.run({"listen", "--project", project, "--forward-to", "here"}).code == 2);
  CHECK(pixledger.run({"listen", "--project", project, "--forward-to", url, "--since", "soon"}).code == 2);
}
