#include "eventstore/platform/kept_copy.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/eventstore/postgres/node_program.h"
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
