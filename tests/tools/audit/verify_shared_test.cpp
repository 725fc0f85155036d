// A node's copy is compared with PostgreSQL.
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>

#include "tests/support/shared_ledger.h"
#include "tests/tools/audit/verify_fixture.h"
#include "tools/audit/verifier.h"

namespace pixledger::tests {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The fixture's ledger, shared: its events are the first commit, another project the second.
struct Node {
  std::unique_ptr<SharedDatabase> database = std::make_unique<SharedDatabase>();
  VerifyFixture world;

  Node() {
    world.pixledger.done(
        {"migrate", "--ledger", database->uri().text, "--ledger-owner", database->owner().text});
    world.pixledger.create_project("Outra");
  }

  void change(const std::string& statement) const {
    database->run("SET search_path = pixledger; " + statement);
  }
};

std::string set_bit(const std::string& table, const std::string& column, const std::string& where) {
  return "UPDATE " + table + " SET " + column + " = set_byte(" + column + ", 20, get_byte(" + column +
         ", 20) # 1) WHERE " + where;
}

}  // namespace

TEST_CASE("verify compares a node's copy with all that PostgreSQL has of it") {
  const Node node;
  CHECK(json_at(node.world.pixledger.done({"verify", "--json"}), "/shared") == "equal");
  CHECK(has(node.world.pixledger.done({"verify"}), "PostgreSQL          equal"));
  // Verifying only the structure does not read PostgreSQL.
  CHECK_FALSE(has(node.world.pixledger.done({"verify", "--structure-only", "--json"}), "shared"));
}

TEST_CASE("a row of PostgreSQL that differs from the nodes' copies is found, with its position") {
  const Node node;
  const auto personal =
      node.database->run("SELECT min(position) FROM pixledger.personal").at(0).at(0).as<std::string>();
  std::string position;
  std::string problem;
  SECTION("a changed byte of an old event") {
    node.change(set_bit("event", "leaf", "position = 5"));
    position = "5";
    problem = "the event is another than the copy has";
  }
  SECTION("the first of two changed events") {
    node.change(set_bit("event", "leaf", "position IN (3, 7)"));
    position = "3";
  }
  SECTION("a removed event") {
    node.change("DELETE FROM event WHERE position = 4");
    position = "4";
    problem = "the event is missing";
  }
  SECTION("changed personal data") {
    node.change(set_bit("personal", "bytes", "position = " + personal));
    position = personal;
    problem = "its personal data are not those that were recorded";
  }
  SECTION("removed personal data that no erasure took") {
    node.change("DELETE FROM personal WHERE position = " + personal);
    position = personal;
    problem = "no customer's erasure explains it";
  }
  SECTION("personal data of an event that had none") {
    node.change("INSERT INTO personal VALUES (1, 'somebody')");
    position = "1";
    problem = "it has personal data there, which the copy has not";
  }
  SECTION("the root of an old commit") {
    node.change(set_bit("batch", "root", "number = 1"));
    position = "7";
    problem = "commit 1 has another root than its events";
  }
  SECTION("an old commit that is missing") {
    node.change("DELETE FROM batch WHERE number = 1");
    position = "1";
    problem = "commit 1 is missing";
  }
  SECTION("an event that belongs to no commit") {
    node.change("INSERT INTO event VALUES (100, 'something')");
    position = "100";
    problem = "behind its head it has events that belong to no commit";
  }
  SECTION("a wrong head") {
    node.change(set_bit("head", "root", "true"));
    position = "null";
    problem = "its head is not that of its newest commit";
  }
  SECTION("an earlier epoch that there was none of") {
    node.change("INSERT INTO ended_epoch VALUES (1, 1, 1)");
    position = "null";
    problem = "earlier epochs";
  }
  const auto found = node.world.pixledger.run({"verify", "--json"});
  INFO(found.out << found.err);
  REQUIRE(found.code == 1);
  CHECK(json_at(found.out, "/part") == "shared");
  CHECK(json_at(found.out, "/position") == position);
  CHECK(has(json_at(found.out, "/problem"), problem));
  CHECK(has(json_at(found.out, "/advice"), "keep each data directory"));
  CHECK(json_at(node.world.pixledger.run({"verify", "--json", "--structure-only"}).out, "/consistent") ==
        "true");
}

TEST_CASE("only the rows after a checkpoint are compared with --since") {
  const Node node;
  const auto& pixledger = node.world.pixledger;
  const auto kept = node.world.keep("kept", pixledger.done({"checkpoint"}));
  pixledger.create_project("Terceira");
  const auto compare = [&] { return pixledger.run({"verify", "--since", kept, "--json"}); };
  CHECK(json_at(compare().out, "/shared") == "equal");
  node.change(set_bit("event", "leaf", "position = 5"));
  node.change("DELETE FROM batch WHERE number = 1");
  CHECK(json_at(compare().out, "/shared") == "equal");
  CHECK(json_at(pixledger.run({"verify", "--json"}).out, "/part") == "shared");
  node.change(set_bit("event", "leaf", "position = 12"));
  const auto found = compare();
  CHECK(found.code == 1);
  CHECK(json_at(found.out, "/part") == "shared");
  CHECK(json_at(found.out, "/position") == "12");
}

TEST_CASE("data erased from PostgreSQL are no difference, on any node") {
  const Node node;
  const auto& pixledger = node.world.pixledger;
  const auto second = pixledger.directory() / "second";
  std::filesystem::create_directory(second);
  std::filesystem::copy(pixledger.data() / "keys", second / "keys");
  const auto on_second = [&](std::vector<std::string> words) {
    for (const auto& word : {std::string("--data"), second.string(), std::string("--map-size=1GiB")})
      words.push_back(word);
    return run_process(built_program("pixledger"), words);
  };
  REQUIRE(on_second({"project", "list", "--ledger", node.database->uri().text, "--node", "n2"}).code == 0);

  const auto customer =
      json_at(pixledger.done({"events", "--type", "CustomerRegistered"}), "/data/customerId");
  // It is not waited for.
  node.change("DELETE FROM node WHERE name = 'n2'");
  pixledger.done({"customer", "erase", "--id", customer, "--reason", "asked for it"});
  CHECK(json_at(pixledger.done({"verify", "--json"}), "/shared") == "equal");

  // The second one's copy still has them.
  CHECK(json_at(on_second({"verify", "--json"}).out, "/part") == "erasure");
  const auto ledger = eventstore::Ledger::open(DataDirectory{second}, one_gigabyte());
  ledger.log->catch_up();
  const auto compare = [&] { return tools::compare_shared_rows(*ledger.log, *ledger.cluster(), {}, {}); };
  CHECK_FALSE(compare());
  const auto later = pixledger.create_project("Terceira");
  {
    LedgerWithCharges charges(pixledger.data());
    charges.create_charge(domain::ProjectId::parse(json_at(later, "/projectId")).value());
  }
  ledger.log->catch_up();
  CHECK_FALSE(compare());
  node.change("DELETE FROM personal");
  const auto found = compare();
  REQUIRE(found);
  CHECK(found->part == tools::Part::kShared);
  CHECK(has(found->problem, "no customer's erasure explains it"));
}

TEST_CASE("verify says that it did not compare where PostgreSQL is away, and counts as no verification") {
  Node node;
  const auto& pixledger = node.world.pixledger;
  const auto operations = pixledger.data() / "operations.json";
  node.database.reset();
  const auto told = pixledger.run({"verify", "--json"});
  INFO(told.err);
  CHECK(told.code == 0);
  CHECK(json_at(told.out, "/shared") == "null");
  CHECK(has(told.err, "this node's copy is not compared with what PostgreSQL has"));
  CHECK_FALSE(std::filesystem::exists(operations));
  CHECK(has(pixledger.done({"verify"}), "not compared: it does not tell"));
}

TEST_CASE("a ledger of one machine is compared with no PostgreSQL") {
  const VerifyFixture world;
  CHECK_FALSE(has(world.pixledger.done({"verify", "--json"}), "shared"));
}

}  // namespace pixledger::tests
