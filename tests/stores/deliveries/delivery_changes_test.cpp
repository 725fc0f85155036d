#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <utility>

#include "stores/deliveries/delivery.h"
#include "stores/deliveries/delivery_rows.h"
#include "stores/sql/sqlite_database.h"
#include "tests/stores/deliveries/delivery_changes_fixture.h"
#include "tests/support/ledgers/sqlite_moments.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::stores;
using namespace pixledger::tests;

namespace {

template <class Engine>
using Fixture = DeliveryChangesFixture<Engine>;

}  // namespace

TEMPLATE_TEST_CASE("pending deliveries of a stopped channel are given up, in the order of the events", "",
                   OnFiles, OnTables) {
  Fixture<TestType> fixture;
  auto other = sample_delivery(2);
  other.channel = sample_channel_id(2);
  fixture.add({sample_delivery(1), other, kStopped, kResumed, sample_delivery(3, 2)});
  CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kFailed);
  CHECK_FALSE(fixture.get(sample_delivery(1)).next_attempt_at);
  CHECK(fixture.status(other) == DeliveryStatus::kPending);
  CHECK(fixture.due() == std::vector<std::uint64_t>{3});
}

TEMPLATE_TEST_CASE(
    "an attempt under way when its channel stops counts if it got through, and is not repeated", "", OnFiles,
    OnTables) {
  Fixture<TestType> fixture;
  fixture.add({sample_delivery(1), sample_delivery(2, 1, "b")});
  const auto failed = fixture.result(sample_delivery(1), DeliveryStatus::kPending);
  const auto succeeded = fixture.result(sample_delivery(2), DeliveryStatus::kDelivered);
  fixture.add({kStopped});
  fixture.store.record({failed, succeeded}, kStart);
  CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kFailed);
  CHECK(fixture.status(sample_delivery(2)) == DeliveryStatus::kDelivered);
  CHECK(fixture.due(60'000).empty());
}

TEMPLATE_TEST_CASE("a delivery that was given up gets no further attempt", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  fixture.add({sample_delivery(1)});
  fixture.store.record({fixture.given_up_at(kReadUpTo + 1, sample_delivery(1))}, kStart);
  CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kFailed);
  CHECK(fixture.get(sample_delivery(1)).attempts == 0);
  CHECK(fixture.store.attempts_of(sample_delivery(1).id).empty());
  CHECK(fixture.store.health(sample_channel_id()) == ChannelHealth{});
}

TEMPLATE_TEST_CASE("a delivery that was queued again after its channel was inactive is not given up for that",
                   "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  fixture.add({sample_delivery(1)});
  const auto late = fixture.given_up_at(kReadUpTo, sample_delivery(1));
  fixture.add({kStopped, kResumed, recovery(7)});
  fixture.store.advance(recovery(7), {sample_delivery(1)}, std::nullopt, kStart.plus_millis(5));
  fixture.store.record({late}, kStart.plus_millis(6));
  CHECK(fixture.due(6) == std::vector<std::uint64_t>{1});
}

TEMPLATE_TEST_CASE(
    "a delivery is sent again on request, whatever it came to, and its attempts go on counting", "", OnFiles,
    OnTables) {
  for (const auto status : {DeliveryStatus::kDelivered, DeliveryStatus::kFailed, DeliveryStatus::kExhausted,
                            DeliveryStatus::kPending}) {
    Fixture<TestType> fixture;
    fixture.add({sample_delivery(1)});
    fixture.record(sample_delivery(1), status);
    fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(), kStart.plus_millis(5)}});
    REQUIRE(fixture.due(5) == std::vector<std::uint64_t>{1});
    CHECK(fixture.get(sample_delivery(1)).attempts == 1);
    CHECK(stores::attempts_before_round(fixture.get(sample_delivery(1)).round_start) == 1);
    fixture.record(sample_delivery(1), DeliveryStatus::kDelivered, 5);
    CHECK(fixture.store.attempts_of(sample_delivery(1).id).size() == 2);
  }
}

TEMPLATE_TEST_CASE(
    "a delivery that is asked for during an attempt is sent again behind it, whatever that comes to", "",
    OnFiles, OnTables) {
  for (const auto status : {DeliveryStatus::kExhausted, DeliveryStatus::kFailed, DeliveryStatus::kPending,
                            DeliveryStatus::kDelivered}) {
    Fixture<TestType> fixture;
    fixture.add({sample_delivery(1), sample_delivery(2, 2)});
    fixture.record(sample_delivery(1), DeliveryStatus::kPending);
    const auto last = fixture.result(sample_delivery(1), status, 1'000);
    fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(), kStart.plus_millis(1'005)}});
    fixture.store.record({last}, kStart.plus_millis(1'010));
    CHECK(fixture.due(1'010) == std::vector<std::uint64_t>{1});
    CHECK(fixture.get(sample_delivery(1)).attempts == 2);
    CHECK(stores::attempts_before_round(fixture.get(sample_delivery(1)).round_start) == 2);
    fixture.record(sample_delivery(1), DeliveryStatus::kDelivered, 1'020);
    CHECK(fixture.due(1'020) == std::vector<std::uint64_t>{2});
  }
}

TEMPLATE_TEST_CASE("a redelivery requested twice during the first attempt is sent once", "", OnFiles,
                   OnTables) {
  for (const auto status : {DeliveryStatus::kExhausted, DeliveryStatus::kFailed, DeliveryStatus::kPending,
                            DeliveryStatus::kDelivered}) {
    Fixture<TestType> fixture;
    fixture.add({sample_delivery(1)});
    const auto first = fixture.result(sample_delivery(1), status, 1'000);
    const Redelivery again{sample_delivery(1).id, sample_channel_id(), kStart.plus_millis(1'005)};
    fixture.add({again, again});
    fixture.store.record({first}, kStart.plus_millis(1'010));
    CHECK(fixture.due(1'010) == std::vector<std::uint64_t>{1});
    CHECK(stores::attempts_before_round(fixture.get(sample_delivery(1)).round_start) == 1);
    fixture.record(sample_delivery(1), DeliveryStatus::kDelivered, 1'020);
    CHECK(fixture.due(1'020).empty());
    CHECK(fixture.store.attempts_of(sample_delivery(1).id).size() == 2);
  }
}

TEMPLATE_TEST_CASE("a recovery during a first attempt sends again what that fails to, and no more", "",
                   OnFiles, OnTables) {
  for (const auto status : {DeliveryStatus::kExhausted, DeliveryStatus::kDelivered}) {
    Fixture<TestType> fixture;
    fixture.add({sample_delivery(1)});
    const auto first = fixture.result(sample_delivery(1), status, 1'000);
    fixture.add({recovery(7)});
    fixture.store.advance(recovery(7), {sample_delivery(1)}, std::nullopt, kStart.plus_millis(1'005));
    fixture.store.record({first}, kStart.plus_millis(1'010));
    CHECK(fixture.due(1'010).empty() == (status == DeliveryStatus::kDelivered));
  }
}

TEMPLATE_TEST_CASE(
    "a test that is pending is sent although its channel takes nothing else, unless it is gone", "", OnFiles,
    OnTables) {
  Fixture<TestType> fixture;
  auto test = sample_delivery(1);
  test.charge.reset();
  test.event.reset();
  fixture.add({test, sample_delivery(2)});
  fixture.add({kStopped});
  CHECK(fixture.due() == std::vector<std::uint64_t>{1});
  // Its sender has found no channel.
  fixture.store.record({fixture.given_up_at(kReadUpTo, test)}, kStart.plus_millis(1));
  CHECK(fixture.due().empty());
}

TEMPLATE_TEST_CASE("a delivery of another channel, or none, is not sent again", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  fixture.add({sample_delivery(1)});
  fixture.record(sample_delivery(1), DeliveryStatus::kDelivered);
  fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(2), kStart},
               Redelivery{sample_delivery(7).id, sample_channel_id(), kStart}});
  CHECK(fixture.due().empty());
}

TEMPLATE_TEST_CASE("a channel's health reflects its receiver's answers", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  const auto health = [&] { return fixture.store.health(sample_channel_id()); };
  CHECK(health() == ChannelHealth{});
  fixture.add({sample_delivery(1), sample_delivery(2, 1, "b")});
  fixture.record(sample_delivery(1), DeliveryStatus::kPending, 10);
  fixture.record(sample_delivery(2), DeliveryStatus::kExhausted, 20);
  CHECK(health() == ChannelHealth{2, {}, kStart.plus_millis(20), kStart.plus_millis(10)});
  SECTION("a success ends the failures") {
    fixture.record(sample_delivery(1), DeliveryStatus::kDelivered, 30);
    CHECK(health() == ChannelHealth{0, kStart.plus_millis(30), kStart.plus_millis(20), {}});
  }
  SECTION("a channel that is active again starts without failures") {
    fixture.add({kStopped, kResumed});
    CHECK(health() == ChannelHealth{0, {}, kStart.plus_millis(20), {}});
  }
  CHECK(fixture.store.health(sample_channel_id(2)) == ChannelHealth{});
}

TEMPLATE_TEST_CASE("old deliveries that have ended are removed in small steps, with their attempts", "",
                   OnFiles, OnTables) {
  Fixture<TestType> fixture;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    auto made = sample_delivery(i, 1, "x" + std::to_string(i));
    made.created_at = kStart.plus_millis(static_cast<std::int64_t>(i));
    fixture.add({made});
    if (i != 2) fixture.record(made, DeliveryStatus::kDelivered);
  }
  CHECK_FALSE(fixture.store.pruned_before());
  const auto before = kStart.plus_millis(4);
  CHECK(fixture.store.prune(before, 2));
  CHECK_FALSE(fixture.store.find(sample_delivery(1).id));
  CHECK(fixture.store.find(sample_delivery(3).id));
  CHECK_FALSE(fixture.store.prune(before, 2));
  CHECK_FALSE(fixture.store.find(sample_delivery(3).id));
  CHECK(fixture.status(sample_delivery(2)) == DeliveryStatus::kPending);
  CHECK(fixture.status(sample_delivery(4)) == DeliveryStatus::kDelivered);
  CHECK(fixture.store.pruned_before() == before);
  CHECK(fixture.store.attempts_of(sample_delivery(1).id).empty());
  fixture.record(sample_delivery(2), DeliveryStatus::kExhausted);
  CHECK_FALSE(fixture.store.prune(before, 10));
  CHECK_FALSE(fixture.store.find(sample_delivery(2).id));
}

TEST_CASE("changes that begin by reading the deliveries wait while another process writes them") {
  std::function<void()> end_other_write;
  const WhenLockIsAwaited meanwhile([&] { end_other_write(); });
  Fixture<OnFiles> fixture;
  fixture.add({sample_delivery(1), sample_delivery(2, 1, "b")});
  fixture.record(sample_delivery(1), DeliveryStatus::kDelivered);
  const auto give_up = fixture.given_up_at(kReadUpTo + 1, sample_delivery(2));

  const auto other = open_sqlite(fixture.engine.file(kWebhookDatabase), "rw");
  std::optional<SqlTransaction> other_write(std::in_place, *other);
  other->run("INSERT INTO erased_charges VALUES ('c')");
  end_other_write = [&] {
    other_write->commit();
    other_write.reset();
  };
  SECTION("a redelivery is requested") {
    fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(), kStart}});
    CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kPending);
  }
  SECTION("a delivery is given up without an attempt") {
    fixture.store.record({give_up}, kStart);
    CHECK(fixture.status(sample_delivery(2)) == DeliveryStatus::kFailed);
  }
  CHECK_FALSE(other_write);
}

TEMPLATE_TEST_CASE("other processes may read the deliveries while the worker writes them", "", OnFiles,
                   OnTables) {
  Fixture<TestType> fixture;
  const auto reader = fixture.engine.databases().delivery_reader();
  REQUIRE(reader);
  for (std::uint64_t i = 1; i <= 5; ++i) fixture.add({sample_delivery(i, 1, "x" + std::to_string(i))});
  fixture.record(sample_delivery(1), DeliveryStatus::kDelivered);
  fixture.record(sample_delivery(2), DeliveryStatus::kExhausted);
  fixture.record(sample_delivery(3), DeliveryStatus::kFailed);
  const auto count = [&](std::optional<DeliveryStatus> status) {
    const auto page = reader->page(sample_channel_id(), status, 0, 10);
    CHECK(page.size() == reader->count(sample_channel_id(), status));
    for (const auto& each : page) CHECK((!status || each.status == *status));
    return page.size();
  };
  CHECK(count(std::nullopt) == 5);
  CHECK(count(DeliveryStatus::kPending) == 2);
  CHECK(count(DeliveryStatus::kDelivered) == 1);
  CHECK(count(DeliveryStatus::kFailed) == 1);
  CHECK(count(DeliveryStatus::kExhausted) == 1);
  const auto page = reader->page(sample_channel_id(), std::nullopt, 1, 2);
  REQUIRE(page.size() == 2);
  CHECK(page[0].position == Position(4));
  CHECK(page[1].position == Position(3));
  const auto of_events = reader->of_events(sample_channel_id(), {Position(4), Position(9), Position(2)});
  REQUIRE(of_events.size() == 2);
  CHECK(of_events[0].position == Position(4));
  CHECK(of_events[1].position == Position(2));
  CHECK(reader->of_events(sample_channel_id(2), {Position(4)}).empty());
  CHECK(reader->attempts_of(reader->find(sample_delivery(2).id).value()).size() == 1);
  CHECK(reader->health(sample_channel_id()).consecutive_failures == 2);
  CHECK(reader->count(sample_channel_id(2), std::nullopt) == 0);
}

TEST_CASE("there is nothing to read before a worker has made a file") {
  CHECK_FALSE(DeliveryReader::open(TemporaryDirectory().path() / "none.sqlite"));
}

TEST_CASE("deliveries are counted as of one moment while the worker runs") {
  Fixture<OnFiles> fixture;
  fixture.add({sample_delivery(1)});
  fixture.record(sample_delivery(1), DeliveryStatus::kDelivered);
  std::uint64_t made = 1;
  const WhenStatementBegins meanwhile([&] {
    ++made;
    fixture.add({sample_delivery(made, 1, "x" + std::to_string(made))});
  });
  const auto database = open_sqlite_to_read(fixture.engine.file(kWebhookDatabase));
  CHECK(count_deliveries(*database, sample_channel_id(), DeliveryStatus::kDelivered) == 1);
  CHECK(made > 1);
}

TEST_CASE("a database of the first release is migrated with its data") {
  TemporaryDirectory directory;
  const auto file = directory.path() / kDeliveriesFile;
  {
    DeliveryRepository store(file);
    store.add({sample_delivery(1), sample_delivery(2, 2)}, sample_cursor(2));
  }
  {
    const auto database = open_sqlite(file, "rw");
    for (const auto* statement :
         {"DROP INDEX deliveries_lane", "DROP INDEX deliveries_given_up", "DROP TABLE channel_health",
          "DROP TABLE recoveries", "DROP TABLE retention", "DROP TABLE erased_charges",
          "DROP TABLE attempt_totals", "ALTER TABLE attempts DROP COLUMN answer",
          "ALTER TABLE deliveries DROP COLUMN round_start",
          "CREATE INDEX deliveries_of_charge ON deliveries (channel, charge, position)",
          "PRAGMA user_version = 1"})
      database->run(statement);
  }
  CHECK_FALSE(DeliveryReader::open(file));
  const DeliveryRepository store(file);
  CHECK(store.cursor() == sample_cursor(2));
  CHECK(store.find(sample_delivery(2).id)->round_start == 0);
  CHECK(DeliveryReader::open(file));
}

TEMPLATE_TEST_CASE("recent attempts are read step by step, those of the newest deliveries first", "", OnFiles,
                   OnTables) {
  DeliveryDatabaseFixture<TestType> fixture;
  auto& store = fixture.store;
  for (std::uint64_t position = 1; position <= 7; ++position) {
    store.add({sample_delivery(position)}, sample_cursor(position));
    const auto at = static_cast<std::int64_t>(position) * 1'000;
    const auto made = store.find(sample_delivery(position).id).value();
    store.record({attempt_of(made, DeliveryStatus::kDelivered, at)}, kStart.plus_millis(at));
  }
  const auto reader = fixture.engine.databases().delivery_reader();
  REQUIRE(reader);
  std::vector<std::vector<std::int64_t>> steps;
  std::optional<OlderThan> older;
  do {
    auto recent = reader->recent_attempts(sample_channel_id(), kStart.plus_millis(2'000), older, 3);
    auto& step = steps.emplace_back();
    for (const auto& attempt : recent.attempts)
      step.push_back((attempt.at.millis() - kStart.millis()) / 1'000);
    std::sort(step.begin(), step.end());
    older = recent.next;
  } while (older);
  CHECK(steps == std::vector<std::vector<std::int64_t>>{{5, 6, 7}, {2, 3, 4}, {}});
  CHECK_FALSE(reader->recent_attempts(sample_channel_id(2), kStart, std::nullopt, 3).next);
}
