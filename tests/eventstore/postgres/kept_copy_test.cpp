#include "eventstore/postgres/kept_copy.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "eventstore/postgres/lost_commits.h"
#include "tests/eventstore/postgres/node_program.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/shared_ledger.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

TEST_CASE(
    "a copy that has more than PostgreSQL is kept, though nobody has looked since the machine's start") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  for (const std::string name : {"one", "two"}) {
    Program(node.open()).done(name);
    node.close();
  }
  const auto& directory = node.node().directory;
  const auto start_again = [&] {
    std::ofstream(directory / "ledger.boot") << "another run of the machine";
    node.open();
    node.close();
  };
  start_again();
  CHECK(kept_copies(directory).empty());
  database.lose_newest_commit();
  start_again();
  CHECK(kept_copies(directory).size() == 1);
}

TEST_CASE("a copy whose commit of some number differs from PostgreSQL's is kept after the machine's start") {
  const SharedDatabase database;
  SharedNodeDirectory first(database, "n1");
  SharedNodeDirectory second(database, "n2");
  first.make(database);
  for (const std::string name : {"one", "two"}) Program(first.open()).done(name);
  first.close();
  database.lose_newest_commit();
  Program(second.open()).done("another");
  std::ofstream(first.node().directory / "ledger.boot") << "another run of the machine";
  auto& log = first.open();
  REQUIRE(kept_copies(first.node().directory).size() == 1);
  LmdbOptions reading = one_gigabyte();
  reading.read_only = true;
  const LmdbLog kept(kept_copies(first.node().directory).front(), reading);
  const auto fork = find_fork(kept, log.copy());
  CHECK(fork.common == Position(kept.head().position.value() - fork.events));
  CHECK(fork.events > 0);
}

namespace {

// A node whose copy has a commit that PostgreSQL has lost, and whose machine was restarted.
class NodeWithLoss {
 public:
  NodeWithLoss() : node_(database_, "n1") {
    node_.make(database_);
    for (const std::string name : {"one", "two"}) {
      Program(node_.open()).done(name);
      node_.close();
    }
    database_.lose_newest_commit();
    std::ofstream(directory() / "ledger.boot") << "another run of the machine";
  }

  SharedNodeDirectory& node() { return node_; }
  const std::filesystem::path& directory() const { return node_.node().directory; }
  void add_kept_copies(const std::string& note) const {
    for (std::size_t i = 0; i < kKeptCopiesMax; ++i) {
      const auto kept = directory() / ("ledger.kept-2026010" + std::to_string(i + 1) + "T000000.000Z");
      std::filesystem::create_directory(kept);
      std::ofstream(kept / "loss") << note;
    }
  }
  std::size_t open_losses() const {
    return database_
        .run(
            "SELECT worker FROM pixledger.turn WHERE starts_with(worker, 'lost-commits ') AND until = "
            "'infinity'")
        .size();
  }

 private:
  const SharedDatabase database_;
  SharedNodeDirectory node_;
};

}  // namespace

TEST_CASE("a loss found before another copy is fetched stops writes before that copy exists") {
  NodeWithLoss loss;
  loss.add_kept_copies("unreadable\n");
  REQUIRE(loss.open_losses() == 0);
  CHECK_THROWS_WITH(loss.node().open(), Catch::Contains("take those elsewhere first"));
  CHECK(loss.open_losses() == 1);
}

TEST_CASE("kept copies without a loss are ignored, and removed when another copy is fetched") {
  NodeWithLoss loss;
  loss.add_kept_copies("0 1 lost-commits 1 1 00\n");
  auto& log = loss.node().open();
  CHECK(kept_copies(loss.directory()).size() == 1);
  CHECK(loss.open_losses() == 1);
  CHECK_THROWS_WITH(log.begin_write(), Catch::Contains(std::string(kWritesStopped)));
}

TEST_CASE("a copy with a damaged tree, but without a loss, stops no writes") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  Program(node.open()).done("one");
  const auto whole = node.node().directory / "whole";
  std::filesystem::copy(node.node().directory / "ledger", whole, std::filesystem::copy_options::recursive);
  LmdbOptions reading = one_gigabyte();
  reading.read_only = true;
  const LmdbLog same(whole, reading);
  DeadlineWatch watch;
  PgClient client(node.node().uri, PgTimeouts{}, watch);
  report_loss(client, node.node(), same);
  CHECK_THROWS_WITH(node.log().begin_write(), Catch::Contains(std::string(kWritesStopped)));
  std::filesystem::rename(whole, node.node().directory / "ledger.kept-20260101T000000.000Z");
  examine_kept_copies(node.node(), node.log().copy(), one_gigabyte());
  report_losses(client, node.node());
  Program(node.log()).done("two");
}
