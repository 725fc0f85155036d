#include <algorithm>
#include <catch2/catch.hpp>

#include "stores/deliveries/delivery.h"
#include "stores/sql/sqlite_database.h"
#include "tests/stores/deliveries/delivery_changes_fixture.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::stores;
using namespace pixledger::tests;

namespace {

template <class Engine>
using Fixture = DeliveryChangesFixture<Engine>;

}  // namespace

TEMPLATE_TEST_CASE("a recovery continues where it stopped, until it is done", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  const auto next = [&] { return fixture.store.next_recovery(std::nullopt); };
  CHECK_FALSE(next());
  fixture.add({recovery(7), recovery(8, 2)});
  CHECK(next()->recovery.requested_at == Position(7));
  CHECK(next()->recovery.project == sample_project_id());
  CHECK_FALSE(next()->done_up_to);
  fixture.store.advance(recovery(7), {}, Position(3), kStart);
  CHECK(next()->done_up_to == Position(3));
  CHECK(next()->recovery.until == kStart.plus_millis(1'000));
  fixture.store.advance(recovery(7), {}, std::nullopt, kStart);
  CHECK(next()->recovery.requested_at == Position(8));
  fixture.add({ChannelStopped{.channel = sample_channel_id(2), .is_deleted = true}});
  CHECK_FALSE(next());
}

TEMPLATE_TEST_CASE("a recovery waits while its channel is stopped, delays no other, and begins again", "",
                   OnFiles, OnTables) {
  Fixture<TestType> fixture;
  const auto next = [&] { return fixture.store.next_recovery(std::nullopt); };
  fixture.add({recovery(7), recovery(8, 2)});
  fixture.store.advance(recovery(7), {}, Position(3), kStart);
  fixture.add({kStopped});
  CHECK(next()->recovery.requested_at == Position(8));
  fixture.store.advance(recovery(8, 2), {}, std::nullopt, kStart);
  CHECK_FALSE(next());
  fixture.add({ChannelResumed{sample_channel_id()}});
  REQUIRE(next());
  CHECK(next()->recovery.requested_at == Position(7));
  CHECK_FALSE(next()->done_up_to);
  fixture.add({kStopped, ChannelStopped{.channel = sample_channel_id(), .is_deleted = true}});
  fixture.add({ChannelResumed{sample_channel_id()}});
  CHECK_FALSE(next());
}

TEMPLATE_TEST_CASE(
    "a channel has one recovery at a time: another one makes it begin again, with the moments of both", "",
    OnFiles, OnTables) {
  Fixture<TestType> fixture;
  fixture.add({recovery(7)});
  fixture.store.advance(recovery(7), {}, Position(3), kStart);
  auto another = recovery(9);
  another.since = kStart.plus_millis(500);
  another.until = kStart.plus_millis(2'000);
  fixture.add({another});
  // The previous step's unfinished work does not count for it.
  fixture.store.advance(recovery(7), {}, std::nullopt, kStart);
  const auto merged = fixture.store.next_recovery(std::nullopt);
  REQUIRE(merged);
  CHECK(merged->recovery.requested_at == Position(9));
  CHECK(merged->recovery.since == kStart);
  CHECK(merged->recovery.until == kStart.plus_millis(2'000));
  CHECK_FALSE(merged->done_up_to);
  fixture.store.advance(merged->recovery, {}, std::nullopt, kStart);
  CHECK_FALSE(fixture.store.next_recovery(std::nullopt));
}

TEMPLATE_TEST_CASE("projects take turns with their recoveries, however many channels one has", "", OnFiles,
                   OnTables) {
  Fixture<TestType> fixture;
  const auto first = sample_project_id();
  const auto second = other_project_id();
  fixture.add({recovery(1, 1, first), recovery(2, 2, first), recovery(3, 3, first), recovery(4, 4, second)});
  std::optional<ProjectId> served;
  std::vector<std::uint64_t> order;
  for (int i = 0; i < 4; ++i) {
    const auto next = fixture.store.next_recovery(served);
    REQUIRE(next);
    served = next->recovery.project;
    order.push_back(next->recovery.requested_at.value());
  }
  CHECK(std::count(order.begin(), order.end(), 1U) == 2);
  CHECK(std::count(order.begin(), order.end(), 4U) == 2);
  CHECK(order[0] != order[1]);
}

TEMPLATE_TEST_CASE("a recovery sends pending retries at once, in order", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  const auto first = sample_delivery(1);
  const auto second = sample_delivery(2, 2);
  auto of_store = sample_delivery(3, 1, "b");
  of_store.charge.reset();
  of_store.event = WebhookEvent::kStoreChanged;
  fixture.add({first, second, of_store});
  fixture.record(first, DeliveryStatus::kPending);
  fixture.record(of_store, DeliveryStatus::kPending);
  const auto reader = fixture.engine.databases().delivery_reader();
  const auto not_due = [&](std::int64_t until_ms) {
    return reader->count_not_due(sample_channel_id(), kStart, kStart.plus_millis(until_ms),
                                 kStart.plus_millis(10));
  };
  CHECK(fixture.due(10).empty());
  CHECK(not_due(0) == 3);
  CHECK(not_due(-1) == 0);

  fixture.store.advance(recovery(7), {first, second, of_store}, std::nullopt, kStart.plus_millis(10));
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{1, 3});
  CHECK(stores::attempts_before_round(fixture.get(first).round_start) == 1);
  CHECK(not_due(0) == 1);  // the second waits for the first alone
  fixture.record(first, DeliveryStatus::kDelivered, 10);
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{2, 3});
}

TEMPLATE_TEST_CASE("a recovery queues undelivered events, in order, and nothing else", "", OnFiles,
                   OnTables) {
  Fixture<TestType> fixture;
  const std::vector charges{sample_delivery(1), sample_delivery(2, 1, "b"), sample_delivery(3, 1, "c"),
                            sample_delivery(4, 1, "d")};
  fixture.add({charges.begin(), charges.end()});
  fixture.record(charges[0], DeliveryStatus::kExhausted);
  fixture.record(charges[1], DeliveryStatus::kFailed);
  fixture.record(charges[2], DeliveryStatus::kDelivered);
  fixture.record(charges[3], DeliveryStatus::kPending);
  auto missed = charges;
  missed.push_back(sample_delivery(5, 2));
  missed.push_back(sample_delivery(6, 1, "e"));
  fixture.store.advance(recovery(7), missed, std::nullopt, kStart.plus_millis(10));
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{1, 2, 4, 6});
  CHECK(stores::attempts_before_round(fixture.get(charges[0]).round_start) == 1);
  // The second event of the first charge follows the first.
  fixture.record(charges[0], DeliveryStatus::kDelivered, 10);
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{2, 4, 5, 6});
}

TEMPLATE_TEST_CASE(
    "a recovery that continues after a pruning makes no delivery again that may have been pruned", "",
    OnFiles, OnTables) {
  Fixture<TestType> fixture;
  const auto old = sample_delivery(1, 1, "a");
  auto young = sample_delivery(2, 1, "b");
  young.created_at = kStart.plus_millis(4);
  fixture.add({old, recovery(7)});
  fixture.record(old, DeliveryStatus::kDelivered);
  fixture.store.advance(recovery(7), {}, Position(), kStart);
  fixture.store.prune(young.created_at, 10);
  REQUIRE_FALSE(fixture.store.find(old.id));
  fixture.store.advance(recovery(7), {old, young}, std::nullopt, kStart.plus_millis(10));
  CHECK_FALSE(fixture.store.find(old.id));
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{2});
}

TEST_CASE("recoveries that an earlier release had under way become one a channel, and begin again") {
  TemporaryDirectory directory;
  const auto file = directory.path() / kDeliveriesFile;
  { const DeliveryRepository store(file); }
  {
    const auto database = open_sqlite(file, "rw");
    database->run("DROP TABLE recoveries");
    database->run("DROP TABLE attempt_totals");
    database->run(
        "CREATE TABLE recoveries (requested_at INTEGER PRIMARY KEY, channel TEXT NOT NULL, since INTEGER "
        "NOT NULL, until INTEGER NOT NULL, done_up_to INTEGER)");
    database->run("INSERT INTO recoveries VALUES (3, $1, 10, 20, 2), (5, $1, 15, 30, NULL)",
                  {sample_channel_id().text()});
    database->run("PRAGMA user_version = 3");
  }
  const DeliveryRepository store(file);
  const auto recovery = store.next_recovery(std::nullopt);
  REQUIRE(recovery);
  CHECK(recovery->recovery.channel == sample_channel_id());
  CHECK(recovery->recovery.requested_at == Position(5));
  CHECK(recovery->recovery.since == Timestamp(10));
  CHECK(recovery->recovery.until == Timestamp(30));
  CHECK_FALSE(recovery->done_up_to);
}
