#include "stores/deliveries/delivery_repository.h"

#include <Poco/Exception.h>
#include <catch2/catch.hpp>

#include "base/platform/faults.h"
#include "stores/deliveries/delivery_rows.h"
#include "stores/sql/sqlite_database.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::stores;
using namespace pixledger::tests;

namespace {

template <class Engine>
struct Fixture : DeliveryDatabaseFixture<Engine> {
  using DeliveryDatabaseFixture<Engine>::store;

  // Records an attempt of the delivery that is due first.
  void attempt(DeliveryStatus status, std::int64_t at_ms,
               std::optional<std::int64_t> next_ms = std::nullopt) {
    const auto at = kStart.plus_millis(at_ms);
    const auto first = store.due(sample_channel_id(), at, 1).at(0);
    store.record({attempt_of(first, status, at_ms, next_ms)}, at);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("a new database has no cursor", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  REQUIRE_FALSE(fixture.store.cursor());
  fixture.store.add({}, sample_cursor(5));
  REQUIRE(fixture.store.cursor() == sample_cursor(5));
}

TEMPLATE_TEST_CASE("a delivery is read as it was added, also after a restart", "", OnFiles, OnTables) {
  const TestType engine;
  engine.deliveries()->add({sample_delivery(7, 1)}, sample_cursor(7));
  const auto opened = engine.deliveries();
  const auto& store = *opened;
  REQUIRE(store.cursor() == sample_cursor(7));
  const auto found = store.find(sample_delivery(7, 1).id).value();
  REQUIRE(found.channel == sample_channel_id());
  REQUIRE(found.project == sample_project_id());
  REQUIRE(found.charge == sample_delivery(7, 1).charge);
  REQUIRE(found.environment == Environment::kSandbox);
  REQUIRE(found.event == WebhookEvent::kTransactionPaid);
  REQUIRE(found.version == WebhookVersion::kV2);
  REQUIRE(found.position == Position(7));
  REQUIRE(found.sequence == 1);
  REQUIRE(found.created_at == kStart);
  REQUIRE(found.status == DeliveryStatus::kPending);
  REQUIRE(found.attempts == 0);
  REQUIRE(found.next_attempt_at == kStart);
}

TEMPLATE_TEST_CASE("adding deliveries again changes nothing", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  fixture.store.add({sample_delivery(1, 1)}, sample_cursor(1));
  fixture.attempt(DeliveryStatus::kDelivered, 0);
  fixture.store.add({sample_delivery(1, 1)}, sample_cursor(1));
  REQUIRE(fixture.store.deliveries_of(sample_channel_id(), 10).size() == 1);
  REQUIRE(fixture.due().empty());
}

TEST_CASE("rows and cursor move together or not at all") {
  Fixture<OnFiles> fixture;
  fixture.store.add({}, sample_cursor(1));
  auto unwritable = sample_delivery(2, 1);
  const auto beyond = sample_delivery(3, 1);
  // Another writer holds the file: nothing of the batch may be there afterwards.
  fixture.engine.change(kWebhookDatabase,
                        "CREATE TRIGGER refuse BEFORE INSERT ON deliveries WHEN NEW.position = 3 "
                        "BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  REQUIRE_THROWS_AS(fixture.store.add({unwritable, beyond}, sample_cursor(3)), Poco::Exception);
  REQUIRE(fixture.store.cursor() == sample_cursor(1));
  REQUIRE(fixture.store.deliveries_of(sample_channel_id(), 10).empty());
  REQUIRE_NOTHROW(fixture.store.add({unwritable}, sample_cursor(2)));
}

TEMPLATE_TEST_CASE("attempts are stored with their results", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  fixture.store.add({sample_delivery(1, 1)}, sample_cursor(1));
  fixture.attempt(DeliveryStatus::kPending, 10, 5'000);
  fixture.attempt(DeliveryStatus::kExhausted, 5'000);
  const auto found = fixture.store.find(sample_delivery(1, 1).id).value();
  REQUIRE(found.status == DeliveryStatus::kExhausted);
  REQUIRE(found.attempts == 2);
  REQUIRE_FALSE(found.next_attempt_at);
  const auto attempts = fixture.store.attempts_of(found.id);
  REQUIRE(attempts.size() == 2);
  REQUIRE(attempts[1].number == 2);
  REQUIRE(attempts[1].at == kStart.plus_millis(5'000));
  REQUIRE(attempts[1].http_status == 500);
  REQUIRE(attempts[1].latency_ms == 12);
  REQUIRE(attempts[1].error == "HTTP 500");
  REQUIRE(attempts[1].answer == "no");
}

TEMPLATE_TEST_CASE("the longest due come first, and the next one's time is known", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  auto early = sample_delivery(1, 1, "a");
  auto late = sample_delivery(2, 1, "b");
  auto future = sample_delivery(3, 1, "c");
  early.first_attempt_at = kStart.plus_millis(-5);
  future.first_attempt_at = kStart.plus_millis(50);
  fixture.store.add({late, early, future}, sample_cursor(3));
  REQUIRE(fixture.due() == std::vector<std::uint64_t>{1, 2});
  REQUIRE(fixture.store.next_due(sample_channel_id(), kStart) == kStart.plus_millis(50));
  REQUIRE(fixture.store.channels_with_work() ==
          std::vector{std::pair(sample_channel_id(), kStart.plus_millis(-5))});
  REQUIRE(fixture.store.due(sample_channel_id(2), kStart, 10).empty());
}

TEMPLATE_TEST_CASE("the events of one charge wait for each other, those of others do not", "", OnFiles,
                   OnTables) {
  Fixture<TestType> fixture;
  fixture.store.add({sample_delivery(1, 1, "a"), sample_delivery(2, 1, "b"), sample_delivery(3, 2, "a")},
                    sample_cursor(3));
  REQUIRE(fixture.due() == std::vector<std::uint64_t>{1, 2});
  fixture.attempt(DeliveryStatus::kDelivered, 0);
  REQUIRE(fixture.due() == std::vector<std::uint64_t>{2, 3});
}

TEMPLATE_TEST_CASE("one that was given up releases the next", "", OnFiles, OnTables) {
  for (const auto status : {DeliveryStatus::kFailed, DeliveryStatus::kExhausted}) {
    Fixture<TestType> fixture;
    fixture.store.add({sample_delivery(1, 1), sample_delivery(2, 2)}, sample_cursor(2));
    fixture.attempt(status, 7);
    REQUIRE(fixture.due(7) == std::vector<std::uint64_t>{2});
  }
}

TEMPLATE_TEST_CASE("a failing one holds back the later ones for ten minutes at most", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  constexpr std::int64_t kDayLater = 24 * 60 * 60'000;
  fixture.store.add({sample_delivery(1, 1), sample_delivery(2, 2)}, sample_cursor(2));
  fixture.attempt(DeliveryStatus::kPending, 100, kDayLater);
  REQUIRE(fixture.due(100 + kHoldBackMaxMs - 1).empty());
  REQUIRE(fixture.due(100 + kHoldBackMaxMs) == std::vector<std::uint64_t>{2});
  // A later delivery waits for that one, but no longer.
  fixture.store.add({sample_delivery(3, 3)}, sample_cursor(3));
  REQUIRE(fixture.due(100 + kHoldBackMaxMs) == std::vector<std::uint64_t>{2});
  fixture.attempt(DeliveryStatus::kDelivered, 100 + kHoldBackMaxMs);
  REQUIRE(fixture.due(100 + kHoldBackMaxMs) == std::vector<std::uint64_t>{3});
}

TEMPLATE_TEST_CASE("a failing one that gets through releases the next at once", "", OnFiles, OnTables) {
  Fixture<TestType> fixture;
  fixture.store.add({sample_delivery(1, 1), sample_delivery(2, 2)}, sample_cursor(2));
  fixture.attempt(DeliveryStatus::kPending, 0, 5'000);
  fixture.attempt(DeliveryStatus::kDelivered, 5'000);
  REQUIRE(fixture.due(5'000) == std::vector<std::uint64_t>{2});
}

TEST_CASE("receivers' answers about an erased customer's charges are deleted, and no longer stored") {
  Fixture<OnFiles> fixture;
  const auto file = fixture.engine.file(kWebhookDatabase);
  fixture.store.add({sample_delivery(1, 1, "a"), sample_delivery(2, 1, "b")}, sample_cursor(2));
  fixture.attempt(DeliveryStatus::kPending, 0, 10'000);
  fixture.attempt(DeliveryStatus::kPending, 0, 10'000);
  const auto answers = [&](std::uint64_t position) {
    std::string all;
    for (const auto& attempt : fixture.store.attempts_of(sample_delivery(position, 1).id))
      all += attempt.answer + ";";
    return all;
  };
  REQUIRE(answers(1) == "no;");
  {
    // As another process does it.
    DeliveryRepository eraser(file);
    eraser.erase_answers({parsed<ChargeId>("ccharge0000a")});
    CHECK(eraser.empty_write_ahead_log());
  }
  CHECK(answers(1) == ";");
  CHECK(answers(2) == "no;");
  CHECK(std::filesystem::file_size(file.string() + "-wal") == 0);
  // An answer that was in flight.
  fixture.attempt(DeliveryStatus::kPending, 10'000, 20'000);
  fixture.attempt(DeliveryStatus::kPending, 10'000, 20'000);
  CHECK(answers(1) == ";;");
  CHECK(answers(2) == "no;no;");
}

TEMPLATE_TEST_CASE("answers about an erased customer's charges are deleted in any database", "", OnFiles,
                   OnTables) {
  Fixture<TestType> fixture;
  fixture.store.add({sample_delivery(1, 1, "a"), sample_delivery(2, 1, "b")}, sample_cursor(2));
  fixture.attempt(DeliveryStatus::kPending, 0, 10'000);
  fixture.attempt(DeliveryStatus::kPending, 0, 10'000);
  const auto eraser = fixture.engine.databases().deliveries_to_change();
  eraser->erase_answers({parsed<ChargeId>("ccharge0000a")});
  CHECK(eraser->empty_write_ahead_log());
  fixture.attempt(DeliveryStatus::kPending, 10'000, 20'000);
  fixture.attempt(DeliveryStatus::kPending, 10'000, 20'000);
  const auto answers = [&](std::uint64_t position) {
    std::string all;
    for (const auto& attempt : fixture.store.attempts_of(sample_delivery(position, 1).id))
      all += attempt.answer + ";";
    return all;
  };
  CHECK(answers(1) == ";;");
  CHECK(answers(2) == "no;no;");
}

TEST_CASE("a database that a newer release wrote is refused") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "deliveries.sqlite";
  {
    DeliveryRepository store(file);
    open_sqlite(file, "rw")->run("PRAGMA user_version = 1000");
  }
  REQUIRE_THROWS_AS(DeliveryRepository(file), std::runtime_error);
}

TEMPLATE_TEST_CASE("a delivery with an invalid channel id is damage, and is not skipped", "", OnFiles,
                   OnTables) {
  Fixture<TestType> fixture;
  fixture.store.add({sample_delivery(1, 1)}, sample_cursor(1));
  fixture.engine.change(kWebhookDatabase, "UPDATE deliveries SET channel = ''");
  CHECK_THROWS_AS(fixture.store.channels_with_work(), DataDamaged);
}
