#include "eventstore/postgres/worker_lease.h"

#include <catch2/catch.hpp>
#include <future>

#include "tests/support/shared_ledger.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

constexpr const char* kWorker = "pixledger-webhooks";

PgTimeouts patient() {
  PgTimeouts times;
  times.idle_turn = std::chrono::minutes(5);
  return times;
}

}  // namespace

TEST_CASE(
    "a worker whose lease cannot be renewed, as the renewal hangs, is told while nobody else may have it") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  const auto is_held = [&] {
    return database.run("SELECT until > clock_timestamp() FROM pixledger.turn").at(0).at(0).as<bool>();
  };
  std::promise<bool> told;
  auto lost = told.get_future();
  const auto lease = WorkerLease::try_take(node.node(), kWorker, [&] { told.set_value(is_held()); });
  REQUIRE(lease);
  CHECK_FALSE(WorkerLease::try_take(node.node(), kWorker, [] {}));

  DeadlineWatch watch;
  PgClient blocker(database.owner(), patient(), watch);
  blocker.run("BEGIN; SELECT * FROM pixledger.turn FOR UPDATE");
  CHECK(lost.get());
  blocker.roll_back();
}

TEST_CASE("a lease cannot be taken over while a transaction of its last holder is open") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  REQUIRE(WorkerLease::try_take(node.node(), kWorker, [] {}));
  DeadlineWatch watch;
  PgClient work(database.owner(), patient(), watch);
  work.run("BEGIN; SELECT pg_advisory_xact_lock_shared(" + WorkerLease::lock_of(kWorker) + ")");
  CHECK_FALSE(WorkerLease::try_take(node.node(), kWorker, [] {}));
  work.roll_back();
  CHECK(WorkerLease::try_take(node.node(), kWorker, [] {}));
}
