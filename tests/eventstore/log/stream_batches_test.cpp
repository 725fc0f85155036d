#include <catch2/catch.hpp>

#include "eventstore/log/stream_events.h"
#include "tests/eventstore/log/log_fixtures.h"

// How much of long streams a Log returns at a time, checked on each implementation.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

using Positions = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;

}  // namespace

TEMPLATE_TEST_CASE("a read of a stream returns limited events and bytes, and reports that there are more",
                   "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  Log& log = fixture.get();
  constexpr std::uint32_t kEvents = 1'001;
  Batch next = batch({});
  for (std::uint32_t version = 1; version <= kEvents; ++version)
    next.records.push_back(record("many", version, std::to_string(version)));
  const std::string large(400'000, 'x');
  for (std::uint32_t version = 1; version <= 5; ++version)
    next.records.push_back(record("large", version, "envelope", large));
  commit(log, next);

  const auto first = log.read_stream(stream("many"), 0, kNoLimit);
  CHECK(first.events.size() == kEvents - 1);
  CHECK(first.more);
  const auto second = log.read_stream(stream("many"), kEvents - 1, kNoLimit);
  CHECK(envelopes_of(second.events) == Texts{std::to_string(kEvents)});
  CHECK_FALSE(second.more);
  CHECK_FALSE(log.read_stream(stream("many"), 0, Position(kEvents - 1)).more);
  // The third event reaches a megabyte.
  CHECK(positions_of(log.read_stream(stream("large"), 0, kNoLimit).events) ==
        Positions{kEvents + 1, kEvents + 2, kEvents + 3});
  CHECK(log.read_stream(stream("large"), 0, kNoLimit).more);
  CHECK_FALSE(log.read_stream(stream("large"), 3, kNoLimit).more);

  Texts all;
  for (const auto& stored : StreamEvents(log, stream("many"))) all.push_back(stored.bytes);
  REQUIRE(all.size() == kEvents);
  CHECK(all.front() == "1");
  CHECK(all.back() == std::to_string(kEvents));
  Positions some;
  for (const auto& stored : StreamEvents(log, stream("large"), 1, Position(kEvents + 4)))
    some.push_back(stored.position.value());
  CHECK(some == Positions{kEvents + 2, kEvents + 3, kEvents + 4});
}

TEMPLATE_TEST_CASE("a write loads no more of long streams than fits into memory", "[log]", InMemory, OnDisk,
                   Shared) {
  TestType fixture;
  Log& log = fixture.get();
  const std::string large(1'000'000, 'x');
  Batch next = batch({});
  for (std::uint32_t version = 1; version <= 6; ++version) {
    next.records.push_back(record("a", version, "envelope", large));
    next.records.push_back(record("b", version, "envelope", large));
  }
  next.records.push_back(record("c", 1));
  commit(log, next);

  LoadSet set;
  set.streams = {{stream("a"), 0}, {stream("b"), 0}, {stream("c"), 0}, {stream("none"), 0}};
  const auto loaded = log.begin_write()->load(set);
  CHECK(loaded.streams[0].events.size() == 6);
  CHECK_FALSE(loaded.streams[0].more);
  CHECK(loaded.streams[1].events.size() == 3);
  CHECK(loaded.streams[1].more);
  CHECK(loaded.streams[2].events.empty());
  CHECK(loaded.streams[2].more);
  CHECK(loaded.streams[3].events.empty());
  CHECK_FALSE(loaded.streams[3].more);
}
