#include "projections/delivery_store.h"

#include <Poco/Exception.h>
#include <catch2/catch.hpp>

#include "projections/delivery_lane.h"
#include "tests/support/sample_values.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::projections;
using namespace pixledger::tests;

namespace {

LogCursor cursor(std::uint64_t position) {
  return {{"0123456789abcdef0123456789abcdef", 1}, Position(position), eventstore::sha256("leaf")};
}

// The n-th event of a charge, for the first channel.
NewDelivery delivery(std::uint64_t position, std::uint32_t sequence, const std::string& charge = "a") {
  return {parsed<DeliveryId>("cdelivery" + std::to_string(100 + position)),
          sample_channel_id(),
          sample_project_id(),
          parsed<ChargeId>("ccharge0000" + charge),
          Environment::kSandbox,
          WebhookEvent::kTransactionPaid,
          WebhookVersion::kV2,
          Position(position),
          sequence,
          kStart,
          kStart};
}

struct Fixture {
  TemporaryDirectory directory;
  DeliveryStore store{directory.path() / "deliveries.sqlite"};

  std::vector<Delivery> due(std::int64_t after_ms = 0) {
    return store.due(sample_channel_id(), kStart.plus_millis(after_ms), 100);
  }
  // What an attempt of the delivery that is due first came to.
  void attempt(DeliveryStatus status, std::int64_t at_ms,
               std::optional<std::int64_t> next_ms = std::nullopt) {
    const auto first = due(at_ms).at(0);
    std::optional<Timestamp> next;
    if (next_ms) next = kStart.plus_millis(*next_ms);
    store.record({{first.number,
                   first.channel,
                   first.charge,
                   {{first.attempts + 1, kStart.plus_millis(at_ms), 500, 12, "HTTP 500", "no"}},
                   status,
                   next}},
                 kStart.plus_millis(at_ms));
  }
};

std::vector<std::uint64_t> positions(const std::vector<Delivery>& deliveries) {
  std::vector<std::uint64_t> result;
  for (const auto& each : deliveries) result.push_back(each.position.value());
  return result;
}

}  // namespace

TEST_CASE("a new store has no cursor") {
  Fixture fixture;
  REQUIRE_FALSE(fixture.store.cursor());
  fixture.store.add({}, cursor(5));
  REQUIRE(fixture.store.cursor() == cursor(5));
}

TEST_CASE("a delivery comes back as it was added, also after a restart") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "deliveries.sqlite";
  { DeliveryStore(file).add({delivery(7, 1)}, cursor(7)); }
  const DeliveryStore store(file);
  REQUIRE(store.cursor() == cursor(7));
  const auto found = store.find(delivery(7, 1).id).value();
  REQUIRE(found.channel == sample_channel_id());
  REQUIRE(found.project == sample_project_id());
  REQUIRE(found.charge == delivery(7, 1).charge);
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

TEST_CASE("adding deliveries again changes nothing") {
  Fixture fixture;
  fixture.store.add({delivery(1, 1)}, cursor(1));
  fixture.attempt(DeliveryStatus::kDelivered, 0);
  fixture.store.add({delivery(1, 1)}, cursor(1));
  REQUIRE(fixture.store.deliveries_of(sample_channel_id(), 10).size() == 1);
  REQUIRE(fixture.due().empty());
}

TEST_CASE("rows and cursor move together or not at all") {
  Fixture fixture;
  fixture.store.add({}, cursor(1));
  auto unwritable = delivery(2, 1);
  const auto beyond = delivery(3, 1);
  // Another writer holds the file: nothing of the batch may be there afterwards.
  Poco::Data::Session other("SQLite", (fixture.directory.path() / "deliveries.sqlite").string());
  other << "CREATE TRIGGER refuse BEFORE INSERT ON deliveries WHEN NEW.position = 3 "
           "BEGIN SELECT RAISE(ABORT, 'disk full'); END",
      Poco::Data::Keywords::now;
  REQUIRE_THROWS_AS(fixture.store.add({unwritable, beyond}, cursor(3)), Poco::Exception);
  REQUIRE(fixture.store.cursor() == cursor(1));
  REQUIRE(fixture.store.deliveries_of(sample_channel_id(), 10).empty());
  REQUIRE_NOTHROW(fixture.store.add({unwritable}, cursor(2)));
}

TEST_CASE("attempts are kept with what they came to") {
  Fixture fixture;
  fixture.store.add({delivery(1, 1)}, cursor(1));
  fixture.attempt(DeliveryStatus::kPending, 10, 5'000);
  fixture.attempt(DeliveryStatus::kExhausted, 5'000);
  const auto found = fixture.store.find(delivery(1, 1).id).value();
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

TEST_CASE("the longest due come first, and the next one's time is known") {
  Fixture fixture;
  auto early = delivery(1, 1, "a");
  auto late = delivery(2, 1, "b");
  auto future = delivery(3, 1, "c");
  early.first_attempt_at = kStart.plus_millis(-5);
  future.first_attempt_at = kStart.plus_millis(50);
  fixture.store.add({late, early, future}, cursor(3));
  REQUIRE(positions(fixture.due()) == std::vector<std::uint64_t>{1, 2});
  REQUIRE(fixture.store.next_due(sample_channel_id(), kStart) == kStart.plus_millis(50));
  REQUIRE(fixture.store.channels_with_work() ==
          std::vector{std::pair(sample_channel_id(), kStart.plus_millis(-5))});
  REQUIRE(fixture.store.due(sample_channel_id(2), kStart, 10).empty());
}

TEST_CASE("the events of one charge wait for each other, those of others do not") {
  Fixture fixture;
  fixture.store.add({delivery(1, 1, "a"), delivery(2, 1, "b"), delivery(3, 2, "a")}, cursor(3));
  REQUIRE(positions(fixture.due()) == std::vector<std::uint64_t>{1, 2});
  fixture.attempt(DeliveryStatus::kDelivered, 0);
  REQUIRE(positions(fixture.due()) == std::vector<std::uint64_t>{2, 3});
}

TEST_CASE("one that was given up releases the next") {
  for (const auto status : {DeliveryStatus::kFailed, DeliveryStatus::kExhausted}) {
    Fixture fixture;
    fixture.store.add({delivery(1, 1), delivery(2, 2)}, cursor(2));
    fixture.attempt(status, 7);
    REQUIRE(positions(fixture.due(7)) == std::vector<std::uint64_t>{2});
  }
}

TEST_CASE("a failing one holds back the later ones for ten minutes at most") {
  Fixture fixture;
  constexpr std::int64_t kDayLater = 24 * 60 * 60'000;
  fixture.store.add({delivery(1, 1), delivery(2, 2)}, cursor(2));
  fixture.attempt(DeliveryStatus::kPending, 100, kDayLater);
  REQUIRE(fixture.due(100 + kHoldBackMaxMs - 1).empty());
  REQUIRE(positions(fixture.due(100 + kHoldBackMaxMs)) == std::vector<std::uint64_t>{2});
  // One that comes later waits for that one, and then for no longer.
  fixture.store.add({delivery(3, 3)}, cursor(3));
  REQUIRE(positions(fixture.due(100 + kHoldBackMaxMs)) == std::vector<std::uint64_t>{2});
  fixture.attempt(DeliveryStatus::kDelivered, 100 + kHoldBackMaxMs);
  REQUIRE(positions(fixture.due(100 + kHoldBackMaxMs)) == std::vector<std::uint64_t>{3});
}

TEST_CASE("a failing one that gets through releases the next at once") {
  Fixture fixture;
  fixture.store.add({delivery(1, 1), delivery(2, 2)}, cursor(2));
  fixture.attempt(DeliveryStatus::kPending, 0, 5'000);
  fixture.attempt(DeliveryStatus::kDelivered, 5'000);
  REQUIRE(positions(fixture.due(5'000)) == std::vector<std::uint64_t>{2});
}

TEST_CASE("what receivers answered about an erased customer's charges is gone, and not kept any more") {
  Fixture fixture;
  const auto file = fixture.directory.path() / "deliveries.sqlite";
  fixture.store.add({delivery(1, 1, "a"), delivery(2, 1, "b")}, cursor(2));
  fixture.attempt(DeliveryStatus::kPending, 0, 10'000);
  fixture.attempt(DeliveryStatus::kPending, 0, 10'000);
  const auto answers = [&](std::uint64_t position) {
    std::string all;
    for (const auto& attempt : fixture.store.attempts_of(delivery(position, 1).id))
      all += attempt.answer + ";";
    return all;
  };
  REQUIRE(answers(1) == "no;");
  {
    // As another process does it.
    DeliveryStore eraser(file);
    eraser.erase_answers({parsed<ChargeId>("ccharge0000a")});
    CHECK(eraser.empty_write_ahead_log());
  }
  CHECK(answers(1) == ";");
  CHECK(answers(2) == "no;");
  CHECK(std::filesystem::file_size(file.string() + "-wal") == 0);
  // An answer that was under way.
  fixture.attempt(DeliveryStatus::kPending, 10'000, 20'000);
  fixture.attempt(DeliveryStatus::kPending, 10'000, 20'000);
  CHECK(answers(1) == ";;");
  CHECK(answers(2) == "no;no;");
}

TEST_CASE("a store that a newer release wrote is refused") {
  TemporaryDirectory directory;
  const auto file = directory.path() / "deliveries.sqlite";
  {
    DeliveryStore store(file);
    Poco::Data::Session session("SQLite", file.string());
    session << "PRAGMA user_version = 4", Poco::Data::Keywords::now;
  }
  REQUIRE_THROWS_AS(DeliveryStore(file), std::runtime_error);
}
