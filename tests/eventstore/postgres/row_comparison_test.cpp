#include <catch2/catch.hpp>

#include "tests/eventstore/postgres/node_program.h"
#include "tests/support/shared_ledger.h"

// Rows that fill more than a page.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

TEST_CASE("a copy is compared with PostgreSQL's rows page by page, across commits") {
  constexpr std::uint64_t kMoreThanAPage = 1'050;
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  auto& log = node.open();
  {
    Program program(log);
    for (int i = 0; log.head().position.value() < kMoreThanAPage; ++i)
      program.done("project " + std::to_string(i));
  }
  const auto events = log.head().position.value();
  std::uint64_t compared = 0;
  const RowComparisonOptions options{.is_erased = {},
                                     .progress = [&](std::uint64_t done, std::uint64_t total) {
                                       CHECK(total == events);
                                       compared = done;
                                     }};
  CHECK_FALSE(log.find_difference(options));
  CHECK(compared == events);
  auto later = options;
  later.after = Position(events - 1);  // within a commit
  CHECK_FALSE(log.find_difference(later));

  const auto change = [&](const std::string& rows) {
    database.run("UPDATE pixledger.event SET leaf = set_byte(leaf, 30, get_byte(leaf, 30) # 1) WHERE " +
                 rows);
    const auto found = log.find_difference(options);
    REQUIRE(found);
    return found->position.value();
  };
  CHECK(change("position = " + std::to_string(events)) == events);
  CHECK(change("position = 1001") == 1001);
  CHECK(change("position = 1000") == 1000);
  later.after = Position(1'000);
  CHECK(log.find_difference(later)->position.value() == 1001);

  database.run("DELETE FROM pixledger.batch WHERE number = 2");
  const auto found = log.find_difference(options);
  REQUIRE(found);
  CHECK(found->problem == "commit 2 is missing");
}
