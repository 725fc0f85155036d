#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "base/platform/clock_and_entropy.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

std::string key_of_id(const std::string& list, const std::string& id) {
  for (unsigned i = 0; i < 10; ++i) {
    const std::string at = "/" + std::to_string(i);
    if (json_at(list, at + "/keyId") == id) return at;
  }
  return "";
}

std::string today() { return to_iso8601(SystemClock().now()).substr(0, 10); }

struct World {
  PixledgerCommand pixledger;
  std::string project = json_at(pixledger.create_project(), "/projectId");

  std::string issue(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"key", "issue", "--project", project, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pixledger.done(arguments);
  }
  std::string list() const { return pixledger.done({"key", "list", "--project", project, "--json"}); }
};

}  // namespace

TEST_CASE("an issued key has the rights it was given") {
  const World world;
  const std::string issued =
      world.issue({"--env", "test", "--scopes", "transactions:read,store:read", "--sandbox-only", "--expires",
                   "2099-01-31", "--allow-ip", "10.0.0.0/8", "--allow-ip", "192.168.0.0/16"});
  CHECK(json_at(issued, "/key").substr(0, 8) == "sk_test_");
  const std::string list = world.list();
  const std::string at = key_of_id(list, json_at(issued, "/keyId"));
  const std::string key = json_at(issued, "/key");
  CHECK(json_at(list, at + "/prefix") == "sk_test_");
  CHECK(json_at(list, at + "/lastFour") == key.substr(key.size() - 4));
  CHECK(list.find(key) == std::string::npos);
  CHECK(world.pixledger.done({"key", "list", "--project", world.project})
            .find("sk_test_…" + key.substr(key.size() - 4)) != std::string::npos);
  CHECK(json_at(list, at + "/env") == "test");
  CHECK(json_at(list, at + "/state") == "usable");
  CHECK(json_at(list, at + "/scopes") == "transactions:read,store:read");
  CHECK(json_at(list, at + "/sandboxOnly") == "true");
  CHECK(json_at(list, at + "/expiresAt") == "2099-01-31T03:00:00.000Z");
  CHECK(json_at(list, at + "/allowIp/1") == "192.168.0.0/16");
}

TEST_CASE("bad rights of a key are usage errors") {
  const World world;
  const auto code = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"key", "issue", "--project", world.project};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return world.pixledger.run(arguments).code;
  };
  CHECK(code({}) == 2);
  CHECK(code({"--env", "sandbox"}) == 2);
  CHECK(code({"--env", "live", "--sandbox-only"}) == 2);
  CHECK(code({"--env", "live", "--scopes", "everything"}) == 2);
  CHECK(code({"--env", "live", "--expires", "2001-01-01"}) == 2);
  CHECK(code({"--env", "live", "--expires", "tomorrow"}) == 2);
  CHECK(code({"--env", "live", "--allow-ip", "10.0.0"}) == 2);
  CHECK(code({"--env", "live", "--name", ""}) == 2);
  CHECK(code({"--env", "live", "--name", std::string(61, 'x')}) == 2);
}

TEST_CASE("a key of a project that is not there is refused") {
  const World world;
  CHECK(world.pixledger.run({"key", "issue", "--project", "cabcdefghijkl", "--env", "live"}).code == 1);
  CHECK(world.pixledger.run({"key", "list", "--project", "cabcdefghijkl"}).code == 1);
}

TEST_CASE("a rolled key has a successor with the same rights, and works on for the overlap") {
  const World world;
  const std::string old_id =
      json_at(world.issue({"--env", "live", "--scopes", "store:read", "--allow-ip", "10.0.0.0/8"}), "/keyId");
  const std::string rolled =
      world.pixledger.done({"key", "roll", "--key-id", old_id, "--overlap-seconds", "3600", "--json"});
  CHECK(json_at(rolled, "/key").substr(0, 8) == "sk_live_");
  const std::string list = world.list();
  const std::string old_at = key_of_id(list, old_id);
  const std::string new_at = key_of_id(list, json_at(rolled, "/keyId"));
  const std::string new_key = json_at(rolled, "/key");
  CHECK(json_at(list, new_at + "/lastFour") == new_key.substr(new_key.size() - 4));
  CHECK(json_at(list, old_at + "/lastFour") != json_at(list, new_at + "/lastFour"));
  CHECK(json_at(list, old_at + "/state") == "usable");
  CHECK(json_at(list, old_at + "/expiresAt") != "null");
  CHECK(json_at(list, new_at + "/scopes") == "store:read");
  CHECK(json_at(list, new_at + "/allowIp/0") == "10.0.0.0/8");
  CHECK(json_at(list, new_at + "/expiresAt") == "null");
}

TEST_CASE("a revoked key is revoked, for good, and revoking it again changes nothing") {
  const World world;
  const std::string id = json_at(world.issue({"--env", "live"}), "/keyId");
  world.pixledger.done({"key", "revoke", "--key-id", id});
  const std::string list = world.list();
  CHECK(json_at(list, key_of_id(list, id) + "/state") == "revoked");

  const std::string events = world.pixledger.done({"events"});
  world.pixledger.done({"key", "revoke", "--key-id", id});
  CHECK(world.pixledger.done({"events"}) == events);
  CHECK(world.pixledger.run({"key", "roll", "--key-id", id}).code == 1);
}

TEST_CASE("a key that is not there cannot be rolled or revoked") {
  const World world;
  const std::string unknown(24, 'a');
  CHECK(world.pixledger.run({"key", "roll", "--key-id", unknown}).code == 1);
  CHECK(world.pixledger.run({"key", "revoke", "--key-id", unknown}).code == 1);
  CHECK(world.pixledger.run({"key", "revoke", "--key-id", "short"}).code == 2);
}

TEST_CASE("neither the keys nor their hashes are anywhere in the events") {
  const World world;
  const std::string issued = world.issue({"--env", "live"});
  const std::string events = world.pixledger.done({"events"});
  CHECK(events.find(json_at(issued, "/key")) == std::string::npos);
  CHECK(events.find("sk_live_") == std::string::npos);
  CHECK(events.find("hash") == std::string::npos);
}

TEST_CASE("a key has the name that it was given, and so has its successor") {
  const World world;
  const std::string id = json_at(world.issue({"--env", "live", "--name", "caixa da praça"}), "/keyId");
  const std::string rolled = world.pixledger.done({"key", "roll", "--key-id", id, "--json"});
  const std::string list = world.list();
  CHECK(json_at(list, "/0/name") == "null");
  CHECK(json_at(list, key_of_id(list, id) + "/name") == "caixa da praça");
  CHECK(json_at(list, key_of_id(list, json_at(rolled, "/keyId")) + "/name") == "caixa da praça");
  CHECK(world.pixledger.done({"key", "list", "--project", world.project}).find("caixa da praça") !=
        std::string::npos);
}

TEST_CASE("a key's last use is the day on which the server last took it") {
  const World world;
  const std::string issued = world.issue({"--env", "live"});
  const std::string id = json_at(issued, "/keyId");
  const std::string before = world.list();
  CHECK(json_at(before, key_of_id(before, id) + "/lastUsedOn") == "null");

  const auto port_file = world.pixledger.directory() / "port";
  Process server(built_program("pixledger-server"),
                 world.pixledger.arguments({"--listen", "127.0.0.1:0", "--port-file", port_file.string()}));
  REQUIRE(server.wait_for_out("ready on"));
  std::uint16_t port = 0;
  std::ifstream(port_file) >> port;
  const auto status_of = [port](const std::string& key) {
    return pixledger::tests::exchange(port,
                                      "GET /api/v1/store HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                      "Authorization: Bearer " +
                                          key + "\r\n\r\n")
        .status;
  };
  world.pixledger.done({"key", "revoke", "--key-id", json_at(before, "/0/keyId")});
  const auto day_before = today();
  CHECK(status_of("sk_live_nobody") == 401);
  CHECK(status_of(json_at(issued, "/key")) == 200);
  server.send(SIGTERM);
  CHECK(server.wait() == 0);

  const std::string list = world.list();
  const auto used_on = json_at(list, key_of_id(list, id) + "/lastUsedOn");
  CHECK((used_on == day_before || used_on == today()));
  CHECK(json_at(list, "/0/lastUsedOn") == "null");
  CHECK(world.pixledger.done({"history", "--id", id}).find(used_on + " (UTC)") != std::string::npos);
}
