// A replay reads and decodes ahead, and writes a charge once per batch: neither changes the result.
// PIXLEDGER_SEED sets the seed; a failure prints it.
#include <catch2/catch.hpp>
#include <map>

#include "eventstore/reading/read_ahead.h"
#include "projections/generations/generation.h"
#include "projections/views/list_loader.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/ledgers/repeating_log.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {
namespace {

using projections::Generation;
using projections::ViewDatabase;

constexpr std::uint64_t kBatch = eventstore::kDecodedEvents;

using Rows = std::map<std::string, std::string>;  // with their tables' names

Rows rows_of(const ViewDatabase& database) {
  Rows rows;
  const eventstore::LmdbRead read(database.environment());
  for (const auto& table : projections::kViewTables) {
    eventstore::LmdbCursor cursor(read.get(), database.tables().*table.handle);
    for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT))
      rows.emplace(std::string(table.name) + "/" + std::string(cursor.key()), cursor.value());
  }
  return rows;
}

struct Fixture {
  std::unique_ptr<Generation> open(const eventstore::Log& log, const std::string& name) const {
    std::filesystem::create_directories(directory.path() / name);
    return Generation::open_unfinished(directory.path() / name, log, one_gigabyte());
  }

  TemporaryDirectory directory;
};

}  // namespace

TEST_CASE("a replay makes the same rows and lists as its events one by one, byte for byte") {
  const auto seed = seed_from_environment(83);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 1500);
  const auto& log = ledger.log();
  const Fixture fixture;
  const auto one_by_one = fixture.open(log, "one-by-one");
  for (const auto& event : ledger.events())
    one_by_one->database().apply({event}, log.leaf_hash(event.position).value());
  const auto expected = rows_of(one_by_one->database());
  REQUIRE(expected.size() > 500);

  const std::uint64_t step = GENERATE(7U, 300U, 100'000U);
  const auto replayed = fixture.open(log, "replayed");
  std::uint64_t events = 0;
  for (auto at = step; events < ledger.events().size(); at += step)
    events += projections::catch_up(replayed->database(), log, {}, Position(at));
  CHECK(events == ledger.events().size());
  CHECK(rows_of(replayed->database()) == expected);
  CHECK_FALSE(projections::difference_between_lists(one_by_one->database().list_versions(),
                                                    replayed->database().list_versions(),
                                                    fixture.directory.path()));
}

TEST_CASE("a replay ends before the batch with the first damaged event, and goes on from there") {
  RandomLedger ledger(1, 5);
  const RepeatingLog damaged(ledger.log(),
                             {.end = 3 * kBatch, .damaged = {kBatch + 5000, kBatch + 5001, 2 * kBatch + 1}});
  const Fixture fixture;
  const auto generation = fixture.open(damaged, "views");
  CHECK_THROWS_WITH(projections::catch_up(generation->database(), damaged),
                    Catch::Contains("position " + std::to_string(kBatch + 5000) + " "));
  CHECK(generation->database().cursor().position == Position(kBatch));

  const RepeatingLog whole(ledger.log(), {.end = 3 * kBatch});
  CHECK(projections::catch_up(generation->database(), whole) == 2 * kBatch);
  CHECK(whole.reader() != std::this_thread::get_id());
}

TEST_CASE("a replay interrupted by its progress callback has applied the reported events") {
  RandomLedger ledger(1, 5);
  const RepeatingLog log(ledger.log(), {.end = 100 * kBatch});
  const Fixture fixture;
  const auto generation = fixture.open(log, "views");
  const auto stop = [](std::uint64_t done, std::uint64_t total) {
    CHECK(total == 100 * kBatch);
    if (done == 2 * kBatch) throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH(projections::catch_up(generation->database(), log, stop), "enough");
  CHECK(generation->database().cursor().position == Position(2 * kBatch));
}

}  // namespace pixledger::tests
