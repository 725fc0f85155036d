#include <catch2/catch.hpp>

#include "domain/aggregates/channel.h"
#include "eventstore/ledger.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/channels.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct World {
  PixledgerCommand pixledger;
  std::string project = json_at(pixledger.create_project(), "/projectId");

  ProcessResult add(const std::string& url, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"channel", "add", "--project", project, "--url", url, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pixledger.run(arguments);
  }
};

const std::vector<std::string> kDevelopment{"--allow-http", "--allow-target", "127.0.0.0/8"};

}  // namespace

TEST_CASE("a new channel's secret is shown once and sealed in the ledger") {
  const World world;
  const auto added = world.add("http://127.0.0.1:9/hook", kDevelopment);
  REQUIRE(added.code == 0);
  const std::string secret = json_at(added.out, "/secret");
  CHECK(secret.substr(0, 6) == "whsec_");
  CHECK(secret.size() > 6 + 40);

  const std::string list = world.pixledger.done({"channel", "list", "--project", world.project, "--json"});
  CHECK(json_at(list, "/0/channelId") == json_at(added.out, "/channelId"));
  CHECK(json_at(list, "/0/url") == "http://127.0.0.1:9/hook");
  CHECK(json_at(list, "/0/secretHint") == secret.substr(secret.size() - 4));
  CHECK(list.find(secret) == std::string::npos);
  CHECK(world.pixledger.done({"events"}).find(secret) == std::string::npos);

  const auto options = tests::one_gigabyte();
  const auto ledger = eventstore::Ledger::open({world.pixledger.data()}, options);
  const auto id = domain::ChannelId::parse(json_at(added.out, "/channelId")).value();
  const auto channel = eventstore::fold_as<domain::Channel>(*ledger.log, domain::channel_stream(id)).value();
  CHECK(stores::open_channel_secret(id, channel.secret, ledger.keyring) == secret);
}

TEST_CASE("adding a channel for both environments warns about the sandbox's payments") {
  const World world;
  const auto said = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"channel", "add", "--project", world.project, "--url", "http://127.0.0.1:9/",
                               "--allow-http", "--allow-target", "127.0.0.0/8"});
    return world.pixledger.done(more);
  };
  CHECK(said({}).find("data.isSandbox\nbefore it delivers") != std::string::npos);
  CHECK(said({"--environments", "live"}).find("isSandbox") == std::string::npos);
  CHECK(said({"--environments", "sandbox"}).find("isSandbox") == std::string::npos);
}

TEST_CASE("by default a channel has version 2 and the standard kinds") {
  const World world;
  REQUIRE(world.add("http://127.0.0.1:9/", kDevelopment).code == 0);
  auto legacy = kDevelopment;
  for (const char* argument : {"--api-version", "v1", "--events", "transaction.paid,transaction.refunded"}) {
    legacy.emplace_back(argument);
  }
  REQUIRE(world.add("http://127.0.0.1:9/legacy", legacy).code == 0);

  const std::string list = world.pixledger.done({"channel", "list", "--project", world.project, "--json"});
  CHECK(json_at(list, "/0/apiVersion") == "v2");
  CHECK(json_at(list, "/0/isActive") == "true");
  CHECK(json_at(list, "/0/disabledReason") == "null");
  CHECK(json_at(list, "/0/events") == domain::WebhookEventSet::standard().text());
  CHECK(json_at(list, "/1/apiVersion") == "v1");
  CHECK(json_at(list, "/1/events") == "transaction.paid,transaction.refunded");
}

TEST_CASE("a target that the service may not send to is refused") {
  const World world;
  const auto refused = world.add("http://127.0.0.1:9/");
  CHECK(refused.code == 2);
  CHECK(refused.err.find("see --allow-http and --allow-target") != std::string::npos);
  CHECK(world.add("https://127.0.0.1:9/").code == 2);
  CHECK(world.add("https://169.254.169.254/latest").code == 2);
  CHECK(world.add("ftp://example.com/").code == 2);
  CHECK(world.add("http://127.0.0.1:9/", {"--allow-http", "--allow-target", "nonsense"}).code == 2);
}

TEST_CASE("an unknown event is a usage error") {
  const World world;
  auto arguments = kDevelopment;
  arguments.insert(arguments.end(), {"--events", "transaction.lost"});
  const auto result = world.add("http://127.0.0.1:9/", arguments);
  CHECK(result.code == 2);
  CHECK(result.err.find("transaction.paid") != std::string::npos);
}

TEST_CASE("kinds of v2 only are sent to channels on v2 that name them") {
  const World world;
  auto arguments = kDevelopment;
  arguments.insert(arguments.end(), {"--events", "store.changed,payment.unapplied"});
  CHECK(world.add("http://127.0.0.1:9/", arguments).code == 0);
  arguments.insert(arguments.end(), {"--api-version", "v1"});
  const auto result = world.add("http://127.0.0.1:9/", arguments);
  CHECK(result.code == 1);
  CHECK(result.err.find("v1") != std::string::npos);
}

TEST_CASE("an eleventh channel is refused") {
  const World world;
  for (unsigned i = 0; i < domain::kChannelsPerProjectMax; ++i) {
    REQUIRE(world.add("http://127.0.0.1:9/", kDevelopment).code == 0);
  }
  const auto result = world.add("http://127.0.0.1:9/", kDevelopment);
  CHECK(result.code == 1);
  CHECK(result.out.empty());
  auto of_sandbox = kDevelopment;
  of_sandbox.insert(of_sandbox.end(), {"--environments", "sandbox"});
  CHECK(world.add("http://127.0.0.1:9/", of_sandbox).code == 0);
}

TEST_CASE("a project without channels has an empty list") {
  const World world;
  CHECK(world.pixledger.done({"channel", "list", "--project", world.project, "--json"}) == "[]\n");
  CHECK(world.pixledger.run({"channel", "list", "--project", "cabcdefghijkl"}).code == 1);
}
