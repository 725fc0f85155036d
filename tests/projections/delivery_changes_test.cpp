#include <Poco/Data/Session.h>
#include <Poco/Format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "projections/deliveries/delivery_queries.h"
#include "projections/storage/sqlite_session.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"
#include "tests/support/ledgers/sqlite_moments.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::projections;
using namespace pixledger::tests;

namespace {

constexpr std::uint64_t kReadUpTo = 9;

struct Fixture : DeliveryDatabaseFixture {
  void add(const std::vector<DeliveryChange>& changes) { store.add(changes, sample_cursor(kReadUpTo)); }
  Delivery get(const NewDelivery& made) const { return store.find(made.id).value(); }
  DeliveryStatus status(const NewDelivery& made) const { return get(made).status; }
  // What an attempt came to, now that the delivery is as it is.
  AttemptRecord result(const NewDelivery& made, DeliveryStatus status, std::int64_t at_ms = 0) const {
    std::optional<std::int64_t> next_ms;
    if (status == DeliveryStatus::kPending) next_ms = at_ms + 1'000;
    return attempt_of(get(made), status, at_ms, next_ms);
  }
  // As no attempt was made of it, because its channel took nothing when the log had this head.
  AttemptRecord given_up_at(std::uint64_t head, const NewDelivery& made) const {
    auto record = result(made, DeliveryStatus::kFailed);
    record.attempt.reset();
    record.head = Position(head);
    return record;
  }
  void record(const NewDelivery& made, DeliveryStatus status, std::int64_t at_ms = 0) {
    store.record({result(made, status, at_ms)}, kStart.plus_millis(at_ms));
  }
};

const ChannelStopped kStopped{sample_channel_id()};
const ChannelResumed kResumed{sample_channel_id()};

Recovery recovery(std::uint64_t requested_at, unsigned channel = 1,
                  const ProjectId& project = sample_project_id()) {
  return {.channel = sample_channel_id(channel),
          .project = project,
          .requested_at = Position(requested_at),
          .since = kStart,
          .until = kStart.plus_millis(1'000)};
}

}  // namespace

TEST_CASE("what is pending for a channel that stops is given up, in the order of the events") {
  Fixture fixture;
  auto other = sample_delivery(2);
  other.channel = sample_channel_id(2);
  fixture.add({sample_delivery(1), other, kStopped, kResumed, sample_delivery(3, 2)});
  CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kFailed);
  CHECK_FALSE(fixture.get(sample_delivery(1)).next_attempt_at);
  CHECK(fixture.status(other) == DeliveryStatus::kPending);
  CHECK(fixture.due() == std::vector<std::uint64_t>{3});
}

TEST_CASE("an attempt under way when its channel stops counts if it got through, and is not repeated") {
  Fixture fixture;
  fixture.add({sample_delivery(1), sample_delivery(2, 1, "b")});
  const auto failed = fixture.result(sample_delivery(1), DeliveryStatus::kPending);
  const auto succeeded = fixture.result(sample_delivery(2), DeliveryStatus::kDelivered);
  fixture.add({kStopped});
  fixture.store.record({failed, succeeded}, kStart);
  CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kFailed);
  CHECK(fixture.status(sample_delivery(2)) == DeliveryStatus::kDelivered);
  CHECK(fixture.due(60'000).empty());
}

TEST_CASE("a delivery that no attempt is made of anymore has none more") {
  Fixture fixture;
  fixture.add({sample_delivery(1)});
  fixture.store.record({fixture.given_up_at(kReadUpTo + 1, sample_delivery(1))}, kStart);
  CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kFailed);
  CHECK(fixture.get(sample_delivery(1)).attempts == 0);
  CHECK(fixture.store.attempts_of(sample_delivery(1).id).empty());
  CHECK(fixture.store.health(sample_channel_id()) == ChannelHealth{});
}

TEST_CASE("a delivery that was queued again after its channel took nothing is not given up for that") {
  Fixture fixture;
  fixture.add({sample_delivery(1)});
  const auto late = fixture.given_up_at(kReadUpTo, sample_delivery(1));
  fixture.add({kStopped, kResumed, recovery(7)});
  fixture.store.advance(recovery(7), {sample_delivery(1)}, std::nullopt, kStart.plus_millis(5));
  fixture.store.record({late}, kStart.plus_millis(6));
  CHECK(fixture.due(6) == std::vector<std::uint64_t>{1});
}

TEST_CASE("a delivery is sent again on request, whatever it came to, and its attempts go on counting") {
  for (const auto status : {DeliveryStatus::kDelivered, DeliveryStatus::kFailed, DeliveryStatus::kExhausted,
                            DeliveryStatus::kPending}) {
    Fixture fixture;
    fixture.add({sample_delivery(1)});
    fixture.record(sample_delivery(1), status);
    fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(), kStart.plus_millis(5)}});
    REQUIRE(fixture.due(5) == std::vector<std::uint64_t>{1});
    CHECK(fixture.get(sample_delivery(1)).attempts == 1);
    CHECK(fixture.get(sample_delivery(1)).round_start == 1);
    fixture.record(sample_delivery(1), DeliveryStatus::kDelivered, 5);
    CHECK(fixture.store.attempts_of(sample_delivery(1).id).size() == 2);
  }
}

TEST_CASE("a delivery that is asked for during its last attempt is sent again, unless that gets through") {
  for (const auto status :
       {DeliveryStatus::kExhausted, DeliveryStatus::kPending, DeliveryStatus::kDelivered}) {
    Fixture fixture;
    fixture.add({sample_delivery(1), sample_delivery(2, 2)});
    fixture.record(sample_delivery(1), DeliveryStatus::kPending);
    const auto last = fixture.result(sample_delivery(1), status, 1'000);
    fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(), kStart.plus_millis(1'005)}});
    fixture.store.record({last}, kStart.plus_millis(1'010));
    const bool got_through = status == DeliveryStatus::kDelivered;
    CHECK(fixture.due(1'010) == std::vector<std::uint64_t>{got_through ? 2U : 1U});
    CHECK(fixture.get(sample_delivery(1)).attempts == 2);
    if (!got_through) CHECK(fixture.get(sample_delivery(1)).round_start == 2);
  }
}

TEST_CASE("a delivery of another channel, or none, is not sent again") {
  Fixture fixture;
  fixture.add({sample_delivery(1)});
  fixture.record(sample_delivery(1), DeliveryStatus::kDelivered);
  fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(2), kStart},
               Redelivery{sample_delivery(7).id, sample_channel_id(), kStart}});
  CHECK(fixture.due().empty());
}

TEST_CASE("a recovery goes on where it was, until it is done") {
  Fixture fixture;
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
  fixture.add({ChannelStopped{sample_channel_id(2)}});
  CHECK_FALSE(next());
}

TEST_CASE(
    "a channel has one recovery at a time: another one makes it begin again, with the moments of both") {
  Fixture fixture;
  fixture.add({recovery(7)});
  fixture.store.advance(recovery(7), {}, Position(3), kStart);
  auto another = recovery(9);
  another.since = kStart.plus_millis(500);
  another.until = kStart.plus_millis(2'000);
  fixture.add({another});
  // What the step before had begun to do does not count for it.
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

TEST_CASE("projects take turns with their recoveries, however many channels one has") {
  Fixture fixture;
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

TEST_CASE("a recovery sends at once what is pending and was to be tried later, in order") {
  Fixture fixture;
  const auto first = sample_delivery(1);
  const auto second = sample_delivery(2, 2);
  auto of_store = sample_delivery(3, 1, "b");
  of_store.charge.reset();
  of_store.event = WebhookEvent::kStoreChanged;
  fixture.add({first, second, of_store});
  fixture.record(first, DeliveryStatus::kPending);
  fixture.record(of_store, DeliveryStatus::kPending);
  const auto reader = DeliveryReader::open(fixture.file);
  const auto not_due = [&](std::int64_t until_ms) {
    return reader->count_not_due(sample_channel_id(), kStart, kStart.plus_millis(until_ms),
                                 kStart.plus_millis(10));
  };
  CHECK(fixture.due(10).empty());
  CHECK(not_due(0) == 3);
  CHECK(not_due(-1) == 0);

  fixture.store.advance(recovery(7), {first, second, of_store}, std::nullopt, kStart.plus_millis(10));
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{1, 3});
  CHECK(fixture.get(first).round_start == 1);
  CHECK(not_due(0) == 1);  // the second waits for the first alone
  fixture.record(first, DeliveryStatus::kDelivered, 10);
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{2, 3});
}

TEST_CASE("a recovery queues what was not delivered, in order, and nothing else") {
  Fixture fixture;
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
  CHECK(fixture.get(charges[0]).round_start == 1);
  // The second event of the first charge follows the first.
  fixture.record(charges[0], DeliveryStatus::kDelivered, 10);
  CHECK(fixture.due(10) == std::vector<std::uint64_t>{2, 4, 5, 6});
}

TEST_CASE("a recovery that goes on after a pruning makes nothing anew that may have been removed") {
  Fixture fixture;
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

TEST_CASE("a channel's health tells how its receiver answers") {
  Fixture fixture;
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
  SECTION("a channel that takes webhooks again begins anew") {
    fixture.add({kStopped, kResumed});
    CHECK(health() == ChannelHealth{0, {}, kStart.plus_millis(20), {}});
  }
  CHECK(fixture.store.health(sample_channel_id(2)) == ChannelHealth{});
}

TEST_CASE("old deliveries that have ended are removed in small steps, with their attempts") {
  Fixture fixture;
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

TEST_CASE("changes that begin with a look at the deliveries wait while another process writes them") {
  std::function<void()> end_other_write;
  const WhenLockIsAwaited meanwhile([&] { end_other_write(); });
  Fixture fixture;
  fixture.add({sample_delivery(1), sample_delivery(2, 1, "b")});
  fixture.record(sample_delivery(1), DeliveryStatus::kDelivered);
  auto other = open_sqlite(fixture.file, "rw");
  end_other_write = [&] { other.commit(); };
  const auto give_up = fixture.given_up_at(kReadUpTo + 1, sample_delivery(2));

  other.begin();
  other << "INSERT INTO erased_charges VALUES ('c')", Poco::Data::Keywords::now;
  SECTION("a delivery is asked for again") {
    fixture.add({Redelivery{sample_delivery(1).id, sample_channel_id(), kStart}});
    CHECK(fixture.status(sample_delivery(1)) == DeliveryStatus::kPending);
  }
  SECTION("a delivery is given up without an attempt") {
    fixture.store.record({give_up}, kStart);
    CHECK(fixture.status(sample_delivery(2)) == DeliveryStatus::kFailed);
  }
  CHECK_FALSE(other.isTransaction());
}

TEST_CASE("others may look at the deliveries while the worker writes them") {
  Fixture fixture;
  CHECK_FALSE(DeliveryReader::open(fixture.directory.path() / "none.sqlite"));
  const auto reader = DeliveryReader::open(fixture.file);
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
  CHECK(reader->attempts_of(reader->find(sample_delivery(2).id).value()).size() == 1);
  CHECK(reader->health(sample_channel_id()).consecutive_failures == 2);
  CHECK(reader->count(sample_channel_id(2), std::nullopt) == 0);
}

TEST_CASE("what was delivered is counted as of one moment while the worker goes on") {
  Fixture fixture;
  fixture.add({sample_delivery(1)});
  fixture.record(sample_delivery(1), DeliveryStatus::kDelivered);
  auto session = open_sqlite_to_read(fixture.file);
  std::uint64_t made = 1;
  const WhenStatementBegins meanwhile(session, [&] {
    ++made;
    fixture.add({sample_delivery(made, 1, "x" + std::to_string(made))});
  });
  CHECK(count_deliveries(session, sample_channel_id(), DeliveryStatus::kDelivered) == 1);
  CHECK(made > 1);
}

TEST_CASE("a store of the first release is brought up to date with what it holds") {
  TemporaryDirectory directory;
  const auto file = directory.path() / kDeliveriesFile;
  {
    DeliveryRepository store(file);
    store.add({sample_delivery(1), sample_delivery(2, 2)}, sample_cursor(2));
  }
  {
    using Poco::Data::Keywords::now;
    Poco::Data::Session session("SQLite", file.string());
    for (const auto* statement :
         {"DROP INDEX deliveries_lane", "DROP INDEX deliveries_given_up", "DROP TABLE channel_health",
          "DROP TABLE recoveries", "DROP TABLE retention", "DROP TABLE erased_charges",
          "DROP TABLE attempt_totals", "ALTER TABLE attempts DROP COLUMN answer",
          "ALTER TABLE deliveries DROP COLUMN round_start",
          "CREATE INDEX deliveries_of_charge ON deliveries (channel, charge, position)",
          "PRAGMA user_version = 1"})
      session << statement, now;
  }
  CHECK_FALSE(DeliveryReader::open(file));
  const DeliveryRepository store(file);
  CHECK(store.cursor() == sample_cursor(2));
  CHECK(store.find(sample_delivery(2).id)->round_start == 0);
  CHECK(DeliveryReader::open(file));
}

TEST_CASE("recoveries that an earlier release had under way become one a channel, and begin again") {
  TemporaryDirectory directory;
  const auto file = directory.path() / kDeliveriesFile;
  { const DeliveryRepository store(file); }
  {
    using Poco::Data::Keywords::now;
    Poco::Data::Session session("SQLite", file.string());
    session << "DROP TABLE recoveries", now;
    session
        << "CREATE TABLE recoveries (requested_at INTEGER PRIMARY KEY, channel TEXT NOT NULL, since INTEGER "
           "NOT NULL, until INTEGER NOT NULL, done_up_to INTEGER)",
        now;
    for (const auto* row : {"(3, '%s', 10, 20, 2)", "(5, '%s', 15, 30, NULL)"})
      session << "INSERT INTO recoveries VALUES " + Poco::format(row, sample_channel_id().text()), now;
    session << "PRAGMA user_version = 3", now;
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
