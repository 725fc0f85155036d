#include "projections/due_charges.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::projections;
using namespace pixledger::tests;

namespace {

eventstore::LmdbOptions small_map() {
  eventstore::LmdbOptions options;
  options.map_bytes = std::size_t{64} << 20;
  return options;
}

struct Fixture {
  LedgerInMemory ledger;
  std::filesystem::path directory = ledger.directory.path() / "expiry";

  eventstore::LogCursor head() { return eventstore::cursor_at(ledger.log, ledger.log.head().position); }
  DueCharges open() { return DueCharges(directory, ledger.log, small_map()); }
};

RecordedEvent event_of(const ChargeId& charge, std::uint32_t version, ChargeEvent event) {
  return {
      Position(version), charge_stream(charge), version, kStart, sample_project_id(), "key-test", "", event};
}

ChargeCreated charge(unsigned number, std::int64_t expires_in_ms) {
  auto created = sample_charge();
  created.id = parsed<ChargeId>("ccharge00000000000000000" + std::to_string(number));
  created.expires_at = kStart.plus_millis(expires_in_ms);
  return created;
}

}  // namespace

TEST_CASE("charges become due in the order of their expiry") {
  Fixture fixture;
  auto due = fixture.open();
  REQUIRE_FALSE(due.next_expiry());
  const auto late = charge(1, 300);
  const auto soon = charge(2, 100);
  const auto next = charge(3, 200);
  due.apply({event_of(late.id, 1, late), event_of(soon.id, 1, soon), event_of(next.id, 1, next)},
            fixture.head());
  REQUIRE(due.next_expiry() == kStart.plus_millis(100));
  REQUIRE(due.due(kStart.plus_millis(99), 10).empty());
  REQUIRE(due.due(kStart.plus_millis(200), 10) == std::vector<Due>{soon.id, next.id});
  REQUIRE(due.due(kStart.plus_millis(999), 2) == std::vector<Due>{soon.id, next.id});
}

TEST_CASE("a charge that no longer waits for its payment never becomes due") {
  const std::vector<ChargeEvent> closing{ChargePaid{sample_end_to_end_id(), Cents(1), kStart, {}},
                                         ChargeProcessingStarted{},
                                         ChargeExpired{},
                                         ChargeCancelled{},
                                         ChargeFailed{},
                                         UnappliedPaymentAccepted{sample_end_to_end_id(), {}}};
  for (const auto& event : closing) {
    Fixture fixture;
    auto due = fixture.open();
    const auto created = charge(1, 100);
    due.apply({event_of(created.id, 1, created), event_of(created.id, 2, event)}, fixture.head());
    REQUIRE_FALSE(due.next_expiry());
    // Another one after that changes nothing.
    due.apply({event_of(created.id, 3, event)}, fixture.head());
    REQUIRE_FALSE(due.next_expiry());
  }
}

TEST_CASE("unapplied money leaves the charge waiting") {
  Fixture fixture;
  auto due = fixture.open();
  const auto created = charge(1, 100);
  due.apply({event_of(created.id, 1, created),
             event_of(created.id, 2,
                      PaymentLeftUnapplied{sample_end_to_end_id(), Cents(1), kStart,
                                           PaymentFlag::kAmountMismatch})},
            fixture.head());
  REQUIRE(due.next_expiry() == kStart.plus_millis(100));
}

TEST_CASE("due charges survive a restart, with their cursor") {
  Fixture fixture;
  const auto created = charge(1, 100);
  { fixture.open().apply({event_of(created.id, 1, created)}, fixture.head()); }
  const auto due = fixture.open();
  REQUIRE(due.cursor() == fixture.head());
  REQUIRE(due.next_expiry() == kStart.plus_millis(100));
}

TEST_CASE("due charges of another log are deleted") {
  Fixture fixture;
  const auto created = charge(1, 100);
  auto other_history = fixture.head();
  other_history.leaf_hash.front() ^= 1;
  { fixture.open().apply({event_of(created.id, 1, created)}, other_history); }
  const auto due = fixture.open();
  REQUIRE(due.cursor().position == Position());
  REQUIRE_FALSE(due.next_expiry());
}

TEST_CASE("due charges without a checkpoint are not used") {
  Fixture fixture;
  const auto created = charge(1, 100);
  { fixture.open().apply({event_of(created.id, 1, created)}, fixture.head()); }
  std::filesystem::remove(fixture.directory / "checkpoint");
  REQUIRE(fixture.open().cursor().position == Position());
}

TEST_CASE("damaged due charges with a valid checkpoint are deleted") {
  Fixture fixture;
  const auto created = charge(1, 100);
  { fixture.open().apply({event_of(created.id, 1, created)}, fixture.head()); }
  SECTION("the cursor") {
    change_closed_value(fixture.directory, small_map(), "meta", "cursor",
                        [](std::string& cursor) { cursor = "no cursor"; });
  }
  SECTION("the file") {
    const auto size = std::filesystem::file_size(fixture.directory / "data.mdb");
    std::ofstream(fixture.directory / "data.mdb") << std::string(size, 'x');
  }
  for (int i = 0; i < 2; ++i) {
    const auto due = fixture.open();
    REQUIRE(due.cursor().position == Position());
    REQUIRE_FALSE(due.next_expiry());
  }
}

namespace {

RecordedEvent session_event(const std::string& id, CheckoutEvent event) {
  return {Position(1),
          checkout_stream(parsed<CheckoutSessionId>(id)),
          1,
          kStart,
          sample_project_id(),
          "key-test",
          "",
          std::move(event)};
}

RecordedEvent added(const std::string& session, const ChargeCreated& created) {
  return session_event(session, CheckoutChargeAdded{created.environment, created.id, created.customer});
}

}  // namespace

TEST_CASE("a waiting charge whose session has a paid one is superseded until it is cancelled") {
  Fixture fixture;
  const auto paid = charge(1, 100), waiting = charge(2, 200), of_another = charge(3, 300);
  const std::string one = "csession00000000000000001", other = "csession00000000000000002";
  {
    auto due = fixture.open();
    due.apply({event_of(paid.id, 1, paid), added(one, paid), event_of(waiting.id, 1, waiting),
               added(one, waiting), event_of(of_another.id, 1, of_another), added(other, of_another)},
              fixture.head());
    CHECK(due.due(kStart, 10).empty());
    due.apply({event_of(paid.id, 2, ChargePaid{sample_end_to_end_id(), Cents(1), kStart, {}}),
               session_event(one, CheckoutSessionCompleted{paid.environment, paid.id})},
              fixture.head());
    CHECK(due.due(kStart, 10) == std::vector<Due>{Superseded{waiting.id}});
  }
  auto due = fixture.open();
  CHECK(due.due(kStart, 10) == std::vector<Due>{Superseded{waiting.id}});
  SECTION("by its bank, which is asked once") {
    due.apply({event_of(waiting.id, 2, ChargeCancelRequested{})}, fixture.head());
    CHECK(due.due(kStart, 10).empty());
    CHECK(due.due(kStart.plus_millis(200), 10) == std::vector<Due>{waiting.id});
  }
  SECTION("at once") {
    due.apply({event_of(waiting.id, 2, ChargeCancelled{})}, fixture.head());
    CHECK(due.due(kStart.plus_millis(200), 10).empty());
  }
}

TEST_CASE("a bank that was asked to cancel before the session was paid is not asked again") {
  Fixture fixture;
  const auto waiting = charge(1, 200), paid = charge(2, 100);
  const std::string session = "csession00000000000000001";
  auto due = fixture.open();
  due.apply(
      {event_of(waiting.id, 1, waiting), added(session, waiting),
       event_of(waiting.id, 2, ChargeCancelRequested{}), event_of(paid.id, 1, paid), added(session, paid),
       event_of(paid.id, 2, ChargePaid{sample_end_to_end_id(), Cents(1), kStart, {}}),
       session_event(session, CheckoutSessionCompleted{paid.environment, paid.id})},
      fixture.head());
  CHECK(due.due(kStart, 10).empty());
  CHECK(due.due(kStart.plus_millis(200), 10) == std::vector<Due>{waiting.id});
}

TEST_CASE("superseded charges do not delay expiring ones") {
  Fixture fixture;
  const std::string session = "csession00000000000000001";
  std::vector<RecordedEvent> events;
  for (unsigned number = 1; number <= 5; ++number) {
    const auto waiting = charge(number, 900);
    events.push_back(event_of(waiting.id, 1, waiting));
    events.push_back(added(session, waiting));
  }
  const auto overdue = charge(6, 100);
  events.push_back(event_of(overdue.id, 1, overdue));
  events.push_back(session_event(session, CheckoutSessionCompleted{overdue.environment, charge(7, 100).id}));
  auto due = fixture.open();
  due.apply(events, fixture.head());
  const auto found = due.due(kStart.plus_millis(100), 4);
  REQUIRE(found.size() == 3);
  CHECK(found.back() == Due{overdue.id});
}
