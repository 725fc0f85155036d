#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/client_start.h"
#include "tests/support/shared_ledger.h"

// Reading and writing a shared ledger's tables.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

TEST_CASE("a reader of commits reads no more than its limit, however many there are") {
  const SharedDatabase database;
  SharedNodeDirectory(database, "n1").make(database);
  database.run(
      "INSERT INTO pixledger.batch SELECT n, 30 * n, 0, 0, sha256('') FROM generate_series(2, 20000) n; "
      "INSERT INTO pixledger.records SELECT number, 'some' FROM pixledger.batch");
  DeadlineWatch watch;
  PgClient client(database.uri(), PgTimeouts{}, watch);
  const auto found = find_batches(client, 0, Position());
  REQUIRE_FALSE(found.empty());
  CHECK(found.back().number == found.size());
  std::ostringstream plan;
  for (const auto& row : client.run("EXPLAIN (ANALYZE, TIMING OFF) EXECUTE next (0, 8000)"))
    plan << row.at(0).as<std::string>() << "\n";
  CAPTURE(plan.str());
  std::smatch passed_over;
  const auto text = plan.str();
  REQUIRE(std::regex_search(text, passed_over, std::regex("Rows Removed by Filter: ([0-9]+)")));
  CHECK(std::stoul(passed_over[1]) + found.size() == 1'000);
}

TEST_CASE(
    "a statement sees what was committed while its session waited, whatever the database's defaults are") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  const auto name = database.uri().database;
  database.run("ALTER DATABASE " + name + " SET default_transaction_isolation = 'serializable'");
  DeadlineWatch watch;
  const auto client = start_client(node.node(), nullptr, watch);
  client->run("BEGIN; SELECT 1");
  database.run("UPDATE pixledger.head SET id_counter = 7");
  CHECK(client->run("SELECT id_counter FROM head").at(0).at(0).as<int>() == 7);
}

TEST_CASE("idempotency records survive packing") {
  const std::vector<DecidedRecord> records{
      {Timestamp(5), {sha256("one"), "record of one", std::nullopt}},
      {Timestamp(6), {sha256("two"), std::string("\0\xff", 2), Timestamp(4)}},
      {Timestamp(7), {sha256("three"), "", std::nullopt}}};
  const auto packed = pack(records);
  const auto unpacked = unpack(packed);
  REQUIRE(unpacked.size() == 3);
  CHECK(unpacked[1].time == Timestamp(6));
  CHECK(unpacked[1].record.key == sha256("two"));
  CHECK(unpacked[1].record.bytes == records[1].record.bytes);
  CHECK(unpacked[1].record.replaces == Timestamp(4));
  CHECK_FALSE(unpacked[0].record.replaces);
  CHECK(pack(unpacked) == packed);
  for (std::size_t size = 1; size < 52; ++size)
    CHECK_THROWS_AS(unpack(packed.substr(0, size)), SharedLedgerDamaged);
}
