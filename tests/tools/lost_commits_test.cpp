#include <catch2/catch.hpp>
#include <csignal>

#include "tests/tools/shared_node_fixture.h"

// Nodes of a shared ledger after PostgreSQL has lost acknowledged commits.
using namespace pixledger;
using namespace pixledger::tests;

TEST_CASE("writes are refused at all nodes once PostgreSQL has lost commits, until that is accepted") {
  Node first;
  const Node second(first, "n2");
  Server other(second);
  std::string charge;
  std::string paid;
  {
    Server server(first);
    paid = server.create();
    charge = server.create();
    server.process().send(SIGTERM);
    CHECK(server.process().wait() == 0);
  }
  // The other node stops before it has followed the lost commits.
  other.process().send(SIGTERM);
  CHECK(other.process().wait() == 0);
  std::filesystem::remove_all(second.pixledger.data() / "ledger");
  first.database->lose_newest_commit();
  Server survivor(second);
  CHECK(survivor.status("GET", "/api/v1/transactions/" + paid) == 200);
  CHECK(survivor.status("GET", "/api/v1/transactions/" + charge) == 404);

  // The first node, with more commits than PostgreSQL, logs that and ends.
  Process ending(built_program("pixledger-server"),
                 first.pixledger.arguments({"--listen", "127.0.0.1:0", "--log-format", "json"}));
  CHECK(ending.wait() == 3);
  for (const auto& line : lines_of(ending.err())) CHECK(line.starts_with("{"));
  CHECK(ending.err().find("has a history that PostgreSQL does not have") != std::string::npos);
  const auto refused = survivor.try_create();
  REQUIRE(refused);
  CHECK(refused->status == 503);
  CHECK(refused->body.find("Writes are stopped: the ledger's database has lost commits") !=
        std::string::npos);
  CHECK(survivor.status("GET", "/api/v1/transactions/" + paid) == 200);
  CHECK(survivor.process().wait_for_err("PostgreSQL has lost commits that were acknowledged"));
  const auto ready = survivor.send("GET", "/readyz");
  REQUIRE(ready);
  INFO(ready->body);
  CHECK(ready->status == 200);

  const auto& pixledger = first.pixledger;
  const auto shown = pixledger.done({"kept", "show", "--json"});
  CHECK(json_at(shown, "/state") == "open");
  CHECK(json_at(shown, "/projects/0/name") == "Loja Demo");
  CHECK(json_at(shown, "/projects/0/charges/0/transactionId") == charge);
  CHECK(json_at(shown, "/projects/0/charges/0/amountCents") == "1990");
  const auto listed = pixledger.done({"kept", "list", "--json"});
  CHECK(json_at(listed, "/0/projects/0/charges/count") == "1");
  const auto kept = json_at(listed, "/0/directory");
  CHECK(pixledger.done({"kept", "show"}).find(charge) != std::string::npos);
  CHECK(pixledger.done({"kept", "list"}).find("1 (19.90)") != std::string::npos);
  CHECK(pixledger.run({"doctor"}).out.find("problem  lost commits: writes are stopped") != std::string::npos);

  const auto stopped = pixledger.run({"project", "create", "--name", "Loja"});
  CHECK(stopped.code == 3);
  CHECK(stopped.err.find("writes are stopped") != std::string::npos);
  pixledger.done({"project", "create", "--name", "Loja", "--on-lost-commits", "continue"});
  const auto elsewhere = pixledger.directory() / "elsewhere";
  std::filesystem::rename(kept, elsewhere);
  CHECK(second.pixledger.done({"ledger", "accept-loss", "--kept", elsewhere.string()})
            .find("Writes go on at all nodes") != std::string::npos);
  survivor.create();
  pixledger.create_project("Mais uma");
  CHECK(pixledger.done({"ledger", "accept-loss", "--kept", elsewhere.string()}).find("was accepted before") !=
        std::string::npos);
}
