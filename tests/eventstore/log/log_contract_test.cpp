#include <catch2/catch.hpp>
#include <thread>

#include "tests/eventstore/log/log_fixtures.h"

// The contract of Log, checked on each implementation. For waiting see log_waiting_test.cpp.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

std::optional<std::string> remembered(Log& log, const std::string& name) {
  LoadSet set;
  set.idempotency_keys = {sha256(name)};
  return log.begin_write()->load(set).idempotency.at(0);
}

// MTH of RFC 6962 section 2.1, as it is defined.
Digest tree_hash(const std::vector<std::string>& leaves) {
  if (leaves.size() == 1) return sha256({std::string_view("\0", 1), leaves[0]});
  std::size_t split = 1;
  while (2 * split < leaves.size()) split *= 2;
  const auto middle = leaves.begin() + static_cast<std::ptrdiff_t>(split);
  const auto left = tree_hash({leaves.begin(), middle});
  const auto right = tree_hash({middle, leaves.end()});
  return sha256({"\x01", bytes_of(left), bytes_of(right)});
}

using Positions = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;

}  // namespace

TEMPLATE_TEST_CASE("a new log is empty", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  CHECK(log.head() == Head{});
  CHECK(log.read_after(Position(), 10).empty());
  CHECK(log.version_of(stream("1")) == 0);
  CHECK(log.read_stream(stream("1"), 0, kNoLimit).events.empty());
  CHECK(log.claims_with_prefix("key/").empty());
  CHECK_FALSE(log.leaf_hash(Position(1)));
  CHECK_FALSE(log.tree_record(Position(0)));
  CHECK(log.identity().ledger_id.size() == 32);
  CHECK(log.identity().epoch == 1);
}

TEMPLATE_TEST_CASE("positions count from 1 without gaps, whatever the batches", "[log]", InMemory, OnDisk,
                   Shared) {
  TestType fixture;
  Log& log = fixture.get();
  fill(log, 23);
  Positions expected;
  for (std::uint64_t i = 1; i <= 23; ++i) expected.push_back(i);
  CHECK(positions_of(log.read_after(Position(), 100)) == expected);
  CHECK(log.head().position == Position(23));
}

TEMPLATE_TEST_CASE("events are read as they were stored", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  const std::string binary("\0\xff\n envelope", 12);
  commit(log, batch({record("1", 1, binary), record("1", 2, "second", "who it was")}));
  const auto events = log.read_after(Position(), 10);
  REQUIRE(events.size() == 2);
  CHECK(events[0].bytes == binary);
  CHECK(events[0].personal.empty());
  CHECK(events[0].personal_digest == sha256(""));
  CHECK(events[1].bytes == "second");
  CHECK(events[1].personal == "who it was");
  CHECK(events[1].personal_digest == sha256("who it was"));
  const auto of_stream = log.read_stream(stream("1"), 1, kNoLimit).events;
  REQUIRE(of_stream.size() == 1);
  CHECK(of_stream[0].personal == "who it was");
  CHECK(of_stream[0].personal_digest == sha256("who it was"));
}

TEMPLATE_TEST_CASE("a stream's version counts its events", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  // Names that are prefixes of others.
  commit(log, batch({record("a", 1), record("ab", 1), record("a", 2), record("b", 1)}));
  commit(log, batch({record("a", 3)}));
  CHECK(log.version_of(stream("a")) == 3);
  CHECK(log.version_of(stream("ab")) == 1);
  CHECK(log.version_of(stream("b")) == 1);
  CHECK(log.version_of(stream("abc")) == 0);
  CHECK(log.begin_write()->version_of(stream("a")) == 3);
  CHECK(positions_of(log.read_stream(stream("a"), 0, kNoLimit).events) == Positions{1, 3, 5});
  CHECK(positions_of(log.read_stream(stream("ab"), 0, kNoLimit).events) == Positions{2});
}

TEMPLATE_TEST_CASE("a long stream keeps the order of its versions", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  Batch next = batch({});
  Texts expected;
  for (std::uint32_t version = 1; version <= 300; ++version) {
    next.records.push_back(record("long", version, std::to_string(version)));
    expected.push_back(std::to_string(version));
  }
  commit(log, next);
  CHECK(log.version_of(stream("long")) == 300);
  CHECK(envelopes_of(log.read_stream(stream("long"), 0, kNoLimit).events) == expected);
}

TEMPLATE_TEST_CASE("a stream is read after a version and up to a position", "[log]", InMemory, OnDisk,
                   Shared) {
  TestType fixture;
  Log& log = fixture.get();
  commit(log, batch({record("1", 1), record("2", 1), record("1", 2), record("1", 3)}));
  const auto read = [&](std::uint32_t after, Position up_to) {
    return positions_of(log.read_stream(stream("1"), after, up_to).events);
  };
  CHECK(read(0, kNoLimit) == Positions{1, 3, 4});
  CHECK(read(1, kNoLimit) == Positions{3, 4});
  CHECK(read(3, kNoLimit).empty());
  CHECK(read(9, kNoLimit).empty());
  CHECK(read(0, Position(0)).empty());
  CHECK(read(0, Position(2)) == Positions{1});
  CHECK(read(0, Position(3)) == Positions{1, 3});
  CHECK(read(1, Position(3)) == Positions{3});
}

TEMPLATE_TEST_CASE("reading stops at the number asked for, and goes on after any position", "[log]", InMemory,
                   OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  fill(log, 10);
  CHECK(positions_of(log.read_after(Position(), 3)) == Positions{1, 2, 3});
  CHECK(positions_of(log.read_after(Position(3), 3)) == Positions{4, 5, 6});
  CHECK(positions_of(log.read_after(Position(8), 3)) == Positions{9, 10});
  CHECK(log.read_after(Position(10), 3).empty());
  CHECK(log.read_after(Position(99), 3).empty());
  CHECK(log.read_after(Position(), 0).empty());
}

TEMPLATE_TEST_CASE("a write loads everything requested, entry by entry", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  Batch first = batch({record("1", 1, "a", "", {"e2e/1", "list/1"}), record("2", 1, "b", "", {"list/2"}),
                       record("1", 2, "c", "person")});
  first.idempotency = {{sha256("one"), "record"}};
  commit(log, first);

  LoadSet set;
  set.streams = {{stream("1"), 1}, {stream("9"), 0}, {stream("2"), 0}, {stream("1"), 0}};
  set.claims = {ClaimName("list/2"), ClaimName("list/3"), ClaimName("e2e/1")};
  set.idempotency_keys = {sha256("other"), sha256("one")};
  const auto write = log.begin_write();
  CHECK(envelopes_of(write->read_after(Position(0), 2)) == Texts{"a", "b"});
  CHECK(write->read_after(Position(2), 9).front().personal == "person");
  CHECK(write->read_after(Position(3), 9).empty());
  const auto loaded = write->load(set);

  REQUIRE(loaded.streams.size() == 4);
  CHECK(envelopes_of(loaded.streams[0].events) == Texts{"c"});
  CHECK(loaded.streams[0].events[0].personal == "person");
  CHECK(loaded.streams[1].events.empty());
  CHECK(envelopes_of(loaded.streams[2].events) == Texts{"b"});
  CHECK(envelopes_of(loaded.streams[3].events) == Texts{"a", "c"});
  REQUIRE(loaded.claims.size() == 3);
  CHECK(loaded.claims[0] == stream("2"));
  CHECK_FALSE(loaded.claims[1]);
  CHECK(loaded.claims[2] == stream("1"));
  REQUIRE(loaded.idempotency.size() == 2);
  CHECK_FALSE(loaded.idempotency[0]);
  CHECK(loaded.idempotency[1] == "record");
}

TEMPLATE_TEST_CASE("a write without requests loads nothing", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  const auto loaded = fixture.get().begin_write()->load({});
  CHECK(loaded.streams.empty());
  CHECK(loaded.claims.empty());
  CHECK(loaded.idempotency.empty());
}

TEMPLATE_TEST_CASE("claims name the stream that holds them, and are listed by prefix in order", "[log]",
                   InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  commit(log,
         batch({record("2", 1, "x", "", {"key/p1/b", "key/p2/a"}), record("1", 1, "y", "", {"key/p1/a"})}));
  CHECK(log.claim_holder(ClaimName("key/p1/b")) == stream("2"));
  CHECK_FALSE(log.claim_holder(ClaimName("key/p1/")));
  using Claims = std::vector<std::pair<ClaimName, StreamName>>;
  CHECK(log.claims_with_prefix("key/p1/") ==
        Claims{{ClaimName("key/p1/a"), stream("1")}, {ClaimName("key/p1/b"), stream("2")}});
  CHECK(log.claims_with_prefix("key/p").size() == 3);
  CHECK(log.claims_with_prefix("key/p1/b/").empty());
}

TEMPLATE_TEST_CASE("a write that is not committed leaves nothing behind", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  fill(log, 3);
  const auto head = log.head();
  {
    const auto write = log.begin_write();
    Batch lost = batch({record("lost", 1, "x", "y", {"claim/lost"})}, kStart.plus_millis(5));
    lost.id_counter = 77;
    lost.idempotency = {{sha256("lost"), "record"}};
    write->append(lost);
  }
  CHECK(log.head() == head);
  CHECK(log.read_after(Position(3), 10).empty());
  CHECK(log.version_of(stream("lost")) == 0);
  CHECK_FALSE(log.claim_holder(ClaimName("claim/lost")));
  CHECK_FALSE(log.tree_record(Position(4)));
  CHECK_FALSE(remembered(log, "lost"));
  CHECK(log.begin_write()->id_counter() == 0);
  commit(log, batch({record("kept", 1)}));
  CHECK(positions_of(log.read_after(Position(3), 10)) == Positions{4});
}

TEMPLATE_TEST_CASE("appended events are invisible before the commit", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  const auto write = log.begin_write();
  write->append(batch({record("1", 1)}));
  CHECK(log.head().position == Position(0));
  CHECK(log.version_of(stream("1")) == 0);
  write->commit();
  CHECK(log.head().position == Position(1));
  CHECK(log.catch_up() == log.head());
}

TEMPLATE_TEST_CASE("time, head and id counter outlive the process", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Batch next = batch({record("1", 1)}, kStart.plus_millis(7));
  next.id_counter = 1'234'567;
  commit(fixture.get(), next);
  const auto identity = fixture.get().identity();
  fixture.reopen();
  CHECK(fixture.get().identity() == identity);
  CHECK(fixture.get().head() == Head{Position(1), kStart.plus_millis(7)});
  const auto write = fixture.get().begin_write();
  CHECK(write->head() == Head{Position(1), kStart.plus_millis(7)});
  CHECK(write->id_counter() == 1'234'567);
}

TEMPLATE_TEST_CASE("a batch without events moves the time but not the position", "[log]", InMemory, OnDisk,
                   Shared) {
  TestType fixture;
  Log& log = fixture.get();
  fill(log, 1);
  commit(log, remembering("refused", kStart.plus_millis(9)));
  CHECK(log.head() == Head{Position(1), kStart.plus_millis(9)});
  CHECK(remembered(log, "refused") == "record of refused");
}

TEMPLATE_TEST_CASE("idempotency records are kept for 48 hours and then forgotten", "[log]", InMemory, OnDisk,
                   Shared) {
  TestType fixture;
  Log& log = fixture.get();
  commit(log, remembering("first", kStart));
  commit(log, remembering("second", kStart.plus_millis(1)));
  commit(log, remembering("third", kStart.plus_millis(2 * kDayMs)));
  CHECK(remembered(log, "first") == "record of first");
  commit(log, remembering("fourth", kStart.plus_millis(2 * kDayMs + 1)));
  CHECK_FALSE(remembered(log, "first"));
  CHECK(remembered(log, "second") == "record of second");
  commit(log, remembering("fifth", kStart.plus_millis(9 * kDayMs)));
  CHECK_FALSE(remembered(log, "second"));
  CHECK_FALSE(remembered(log, "third"));
  CHECK_FALSE(remembered(log, "fourth"));
  CHECK(remembered(log, "fifth") == "record of fifth");
  // A key whose record has gone is new again.
  commit(log, remembering("first", kStart.plus_millis(9 * kDayMs)));
  CHECK(remembered(log, "first") == "record of first");
}

TEMPLATE_TEST_CASE("an idempotency record that replaces another is kept for its own 48 hours", "[log]",
                   InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  commit(log, remembering("key", kStart));
  auto again = remembering("key", kStart.plus_millis(3 * kDayMs));
  again.idempotency.front().bytes = "another record";
  again.idempotency.front().replaces = kStart;
  commit(log, again);
  CHECK(remembered(log, "key") == "another record");
  commit(log, remembering("other", kStart.plus_millis(5 * kDayMs)));
  CHECK(remembered(log, "key") == "another record");
  commit(log, remembering("last", kStart.plus_millis(5 * kDayMs + 1)));
  CHECK_FALSE(remembered(log, "key"));
}

TEMPLATE_TEST_CASE("tree records hold the leaf and the subtrees that it completes, as RFC 6962 defines them",
                   "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  fill(log, 35);
  std::vector<std::string> leaves;
  for (const auto& event : log.read_after(Position(), 100)) {
    const auto personal = sha256(event.personal);
    leaves.push_back(event.bytes + std::string(bytes_of(personal)));
  }
  REQUIRE(leaves.size() == 35);
  for (std::size_t position = 1; position <= leaves.size(); ++position) {
    std::string expected;
    for (std::size_t width = 1; position % width == 0; width *= 2) {
      const auto end = leaves.begin() + static_cast<std::ptrdiff_t>(position);
      expected += bytes_of(tree_hash({end - static_cast<std::ptrdiff_t>(width), end}));
    }
    INFO("position " << position);
    const auto stored = log.tree_record(Position(position));
    REQUIRE(stored);
    CHECK(to_hex(*stored) == to_hex(expected));
    CHECK(log.leaf_hash(Position(position)) == tree_hash({leaves[position - 1]}));
  }
  CHECK_FALSE(log.tree_record(Position(36)));
  CHECK_FALSE(log.leaf_hash(Position(36)));
}

TEMPLATE_TEST_CASE("writers take turns, so that none sees the other's stream half written", "[log]", InMemory,
                   OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  constexpr std::uint32_t kWrites = 40;
  const auto append_many = [&] {
    for (std::uint32_t i = 0; i < kWrites; ++i) {
      const auto write = log.begin_write();
      const auto version = write->version_of(stream("shared"));
      write->append(batch({record("shared", version + 1)}));
      write->commit();
    }
  };
  std::thread other(append_many);
  append_many();
  other.join();
  CHECK(log.version_of(stream("shared")) == 2 * kWrites);
  CHECK(log.head().position == Position(2 * kWrites));
}

TEMPLATE_TEST_CASE(
    "an operator's acceptances of the clock are counted, with the head's time and how the clock went",
    "[log]", InMemory, OnDisk) {
  TestType fixture;
  CHECK(fixture.get().clock_acceptance().count == 0);
  commit(fixture.get(), batch({record("1", 1)}, kStart.plus_millis(3)));
  CHECK_FALSE(fixture.get().clock_acceptance().clock);
  const ClockReading first{"one boot", -5};
  const ClockReading second{"another boot", 1'700'000'000'000};
  fixture.get().accept_clock(first);
  CHECK(fixture.get().clock_acceptance().clock == first);
  fixture.get().accept_clock(second);
  fixture.reopen();
  CHECK(fixture.get().clock_acceptance().count == 2);
  CHECK(fixture.get().clock_acceptance().clock == second);
  CHECK(fixture.get().clock_acceptance().head_time == kStart.plus_millis(3));
}
