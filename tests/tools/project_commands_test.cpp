#include <catch2/catch.hpp>

#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

TEST_CASE("creating a project makes the data directory and gives the project and two keys") {
  const PixledgerCommand pixledger;
  const std::string created = pixledger.create_project();
  CHECK(json_at(created, "/projectId").substr(0, 1) == "c");
  CHECK(json_at(created, "/liveKey").substr(0, 8) == "sk_live_");
  CHECK(json_at(created, "/testKey").substr(0, 8) == "sk_test_");
  CHECK(std::filesystem::exists(pixledger.data() / "ledger"));
  CHECK(std::filesystem::exists(pixledger.data() / "keys"));
}

TEST_CASE("a second project goes into the same data directory") {
  const PixledgerCommand pixledger;
  pixledger.create_project("First");
  pixledger.create_project("Second");
  const std::string list = pixledger.done({"project", "list", "--json"});
  CHECK(json_at(list, "/0/name") == "First");
  CHECK(json_at(list, "/1/name") == "Second");
}

TEST_CASE("a project's settings are those it was created with") {
  const PixledgerCommand pixledger;
  const std::string created = pixledger.done({"project",
                                              "create",
                                              "--name",
                                              "Loja",
                                              "--pix-key",
                                              "loja@example.com",
                                              "--merchant-name",
                                              "LOJA LTDA",
                                              "--merchant-city",
                                              "São Paulo",
                                              "--max-amount-cents",
                                              "50000",
                                              "--pix-expiration-minutes",
                                              "15",
                                              "--verify-documents",
                                              "--fee-fixed-cents",
                                              "10",
                                              "--fee-basis-points",
                                              "99",
                                              "--dev-mode",
                                              "--json"});
  const std::string shown =
      pixledger.done({"project", "show", "--project", json_at(created, "/projectId"), "--json"});
  CHECK(json_at(shown, "/pixKey") == "loja@example.com");
  CHECK(json_at(shown, "/merchantName") == "LOJA LTDA");
  CHECK(json_at(shown, "/merchantCity") == "São Paulo");
  CHECK(json_at(shown, "/maxAmountCents") == "50000");
  CHECK(json_at(shown, "/pixExpirationMinutes") == "15");
  CHECK(json_at(shown, "/verifyDocuments") == "true");
  CHECK(json_at(shown, "/feeFixedCents") == "10");
  CHECK(json_at(shown, "/feeBasisPoints") == "99");
  CHECK(json_at(shown, "/devMode") == "true");
}

TEST_CASE("amounts are shown as Brazilians write them") {
  const PixledgerCommand pixledger;
  const std::string created =
      pixledger.done({"project", "create", "--name", "Loja", "--max-amount-cents", "99999999999",
                      "--fee-fixed-cents", "5", "--fee-basis-points", "99", "--json"});
  const std::string shown = pixledger.done({"project", "show", "--project", json_at(created, "/projectId")});
  CHECK(shown.find("R$ 999.999.999,99") != std::string::npos);
  CHECK(shown.find("R$ 0,05 + 0,99 %") != std::string::npos);
}

TEST_CASE("setting one thing leaves the others as they are") {
  const PixledgerCommand pixledger;
  const std::string created = pixledger.done(
      {"project", "create", "--name", "Loja", "--pix-key", "loja@example.com", "--dev-mode", "--json"});
  const std::string id = json_at(created, "/projectId");
  const std::string changed =
      pixledger.done({"project", "set", "--project", id, "--pix-expiration-minutes", "5", "--json"});
  CHECK(json_at(changed, "/pixExpirationMinutes") == "5");
  CHECK(json_at(changed, "/pixKey") == "loja@example.com");
  CHECK(json_at(changed, "/devMode") == "true");

  const std::string without =
      pixledger.done({"project", "set", "--project", id, "--pix-key", "none", "--no-dev-mode", "--json"});
  CHECK(json_at(without, "/pixKey") == "null");
  CHECK(json_at(without, "/devMode") == "false");
}

TEST_CASE("a Pix key that is a document with wrong check digits is refused, a phone by its form") {
  const PixledgerCommand pixledger;
  const auto id = json_at(pixledger.create_project(), "/projectId");
  const auto refusal = [&](const std::string& key) {
    const auto create = pixledger.run({"project", "create", "--name", "Loja", "--pix-key", key});
    const auto set = pixledger.run({"project", "set", "--project", id, "--pix-key", key});
    CHECK(create.code == 2);
    CHECK(set.code == 2);
    CHECK(create.err == set.err);
    CHECK(set.err.find(key) == std::string::npos);
    return set.err;
  };
  for (const std::string phone : {"11987600000", "00000000000"})
    CHECK(refusal(phone).find("be written with +55") != std::string::npos);
  CHECK(refusal("11222333000100").find("right check digits") != std::string::npos);
}

TEST_CASE("a bad setting is a usage error that says the rule, and nothing is made") {
  const PixledgerCommand pixledger;
  const auto bad_key = pixledger.run({"project", "create", "--name", "Loja", "--pix-key", "nonsense"});
  CHECK(bad_key.code == 2);
  CHECK(bad_key.err.find("--pix-key must be a Pix key") != std::string::npos);
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"--name", "www.loja.example"},
        std::vector<std::string>{"--name", "Loja", "--merchant-name", "www.loja.example"}}) {
    std::vector<std::string> arguments{"project", "create"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    const auto linked = pixledger.run(arguments);
    CHECK(linked.code == 2);
    CHECK(linked.err.find("neither :// nor www.") != std::string::npos);
  }
  CHECK(pixledger.run({"project", "create", "--name", ""}).code == 2);
  CHECK(pixledger.run({"project", "create", "--name", "Loja", "--max-amount-cents", "0"}).code == 2);
  CHECK(pixledger.run({"project", "create", "--name", "Loja", "--fee-basis-points", "10001"}).code == 2);
  CHECK(pixledger.run({"project", "create"}).code == 2);
  CHECK_FALSE(std::filesystem::exists(pixledger.data()));
}

TEST_CASE("a project that is not there is a no") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto result = pixledger.run({"project", "show", "--project", "cabcdefghijkl"});
  CHECK(result.code == 1);
  CHECK(result.err.find("no such project") != std::string::npos);
  CHECK(pixledger.run({"project", "set", "--project", "cabcdefghijkl", "--dev-mode"}).code == 1);
}

TEST_CASE("only some commands make a data directory; the others say that it is missing") {
  const PixledgerCommand pixledger;
  const auto result = pixledger.run({"project", "list"});
  CHECK(result.code == 3);
  CHECK(result.err.find("pixledger init") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(pixledger.data()));
}

TEST_CASE("no command makes a ledger beside the remains of a lost one") {
  for (const char* trace : {"keys", "views", "workers", "outbox", "ledger"}) {
    INFO(trace);
    const PixledgerCommand pixledger;
    std::filesystem::create_directories(pixledger.data() / trace);
    for (const std::vector<std::string>& making :
         {std::vector<std::string>{"init"}, {"project", "create", "--name", "Loja"}, {"up", "--dev"}}) {
      const auto refused = pixledger.run(making);
      CHECK(refused.code == 3);
      CHECK(refused.err.find("is missing: " + std::string(trace) + "/ of it is there") != std::string::npos);
    }
    CHECK_FALSE(std::filesystem::exists(pixledger.data() / "ledger" / "data.mdb"));
    CHECK_FALSE(std::filesystem::exists(pixledger.data() / "making"));
  }
}

TEST_CASE("the remains of a killed making do not count as a lost ledger") {
  const PixledgerCommand pixledger;
  std::filesystem::create_directories(pixledger.data() / "making" / "ledger");
  std::filesystem::create_directories(pixledger.data() / "keys");
  pixledger.done({"init"});
  CHECK_FALSE(std::filesystem::exists(pixledger.data() / "making"));
  pixledger.done({"verify"});
}

TEST_CASE("init makes an empty ledger once") {
  const PixledgerCommand pixledger;
  CHECK(json_at(pixledger.done({"init", "--json"}), "/ledgerId").size() == 32);
  CHECK(pixledger.run({"init"}).code == 1);
  CHECK(pixledger.done({"project", "list", "--json"}) == "[]\n");
  CHECK(pixledger.done({"events"}).empty());
}

TEST_CASE("a new project has a connection for each environment") {
  const PixledgerCommand pixledger;
  const std::string id = json_at(pixledger.create_project(), "/projectId");
  const std::string list = pixledger.done({"connection", "list", "--project", id, "--json"});
  CHECK(json_at(list, "/0/environment") == "live");
  CHECK(json_at(list, "/1/environment") == "sandbox");
}

TEST_CASE("a connection that was added is listed behind the first ones") {
  const PixledgerCommand pixledger;
  const std::string id = json_at(pixledger.create_project(), "/projectId");
  const auto add = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"connection", "add", "--project", id, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_at(pixledger.done(arguments), "/connectionId");
  };
  const std::string own = add(
      {"--env", "live", "--alias", "balcão", "--provider-id", "acme", "--provider-name", "Acme Pagamentos"});
  const std::string least = add({"--env", "live", "--alias", "reserva"});
  const std::string test = add({"--env", "test", "--alias", "reserva", "--provider-id", "acme"});

  const std::string list = pixledger.done({"connection", "list", "--project", id, "--json"});
  CHECK(json_at(list, "/1/alias") == "sandbox");
  CHECK(json_at(list, "/2/connectionId") == own);
  CHECK(json_at(list, "/2/alias") == "balcão");
  CHECK(json_at(list, "/2/providerId") == "acme");
  CHECK(json_at(list, "/2/providerName") == "Acme Pagamentos");
  CHECK(json_at(list, "/2/environment") == "live");
  CHECK(json_at(list, "/3/connectionId") == least);
  CHECK(json_at(list, "/3/providerId") == json_at(list, "/0/providerId"));
  CHECK(json_at(list, "/3/providerName") == json_at(list, "/0/providerName"));
  CHECK(json_at(list, "/4/connectionId") == test);
  CHECK(json_at(list, "/4/environment") == "sandbox");
  CHECK(json_at(list, "/4/providerName") == "acme");

  const auto events = lines_of(pixledger.done({"events", "--type", "ConnectionAdded"}));
  REQUIRE(events.size() == 3);
  CHECK(json_at(events[0], "/stream") == "project-" + id);
  CHECK(json_at(events[0], "/data/connectionId") == own);
  CHECK(json_at(events[0], "/data/alias") == "balcão");
  CHECK(json_at(events[0], "/data/providerName") == "Acme Pagamentos");
  CHECK(pixledger.run({"verify"}).code == 0);
}

TEST_CASE("the new connection's id is printed") {
  const PixledgerCommand pixledger;
  const std::string id = json_at(pixledger.create_project(), "/projectId");
  const auto lines =
      lines_of(pixledger.done({"connection", "add", "--project", id, "--env", "test", "--alias", "reserva"}));
  REQUIRE_FALSE(lines.empty());
  const std::string list = pixledger.done({"connection", "list", "--project", id, "--json"});
  CHECK(lines[0] == "connection  " + json_at(list, "/2/connectionId"));
}

TEST_CASE("a connection that cannot be added is a no, or a wrong option") {
  const PixledgerCommand pixledger;
  const std::string id = json_at(pixledger.create_project(), "/projectId");
  const auto add = [&](const std::string& project, const char* environment, const std::string& alias,
                       std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"connection", "add",       "--project", project,
                                       "--env",      environment, "--alias",   alias};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pixledger.run(arguments);
  };
  const auto taken = add(id, "live", "pix");
  CHECK(taken.code == 1);
  CHECK(taken.err.find("alias") != std::string::npos);
  const auto elsewhere = add("cabcdefghijkl", "live", "acme");
  CHECK(elsewhere.code == 1);
  CHECK(elsewhere.err.find("no such project") != std::string::npos);
  const auto nameless = add(id, "live", "");
  CHECK(nameless.code == 2);
  CHECK(nameless.err.find("--alias must be 1 to 255 characters") != std::string::npos);
  CHECK(add(id, "live", std::string(256, 'a')).code == 2);
  CHECK(add(id, "sandbox", "acme").code == 2);
  CHECK(add(id, "live", "acme", {"--provider-id", ""}).code == 2);
  CHECK(add(id, "live", "acme", {"--provider-name", ""}).code == 2);
  CHECK(pixledger.run({"connection", "add", "--project", id, "--env", "live"}).code == 2);
  CHECK(pixledger.run({"connection", "add", "--project", id, "--alias", "acme"}).code == 2);
  // The project and its two keys.
  CHECK(lines_of(pixledger.done({"events"})).size() == 3);
}

TEST_CASE("tables for people name every project") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.done({"init"}).find("empty ledger") != std::string::npos);
  CHECK(pixledger.done({"project", "list"}).find("No projects yet") != std::string::npos);
  const std::string id = json_at(pixledger.create_project("Açaí do João"), "/projectId");
  const auto lines = lines_of(pixledger.done({"project", "list"}));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].substr(0, 7) == "PROJECT");
  CHECK(lines[1].find(id) == 0);
  CHECK(lines[1].find("Açaí do João  none") != std::string::npos);
}
