#include <algorithm>
#include <catch2/catch.hpp>

#include "eventstore/reading/read_ahead.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/ledgers/repeating_log.h"

namespace pixledger::tests {
namespace {

constexpr std::uint64_t kBatch = eventstore::kDecodedEvents;
constexpr auto kEnd = 2 * kBatch + 700;

struct Taken {
  std::uint64_t events = 0;
  bool in_order = true;
  std::size_t largest = 0;  // of the batches
  std::string fault;        // the message of the final exception
};
Taken take_all(const eventstore::Log& log, Position after, Position last) {
  Taken taken;
  auto batches = eventstore::read_events_ahead(log, after, last);
  try {
    while (const auto* batch = batches.next()) {
      for (const auto& event : batch->events)
        taken.in_order = taken.in_order && event.position.value() == after.value() + ++taken.events;
      taken.largest = std::max(taken.largest, batch->events.size());
    }
  } catch (const eventstore::LogCorrupt& corrupt) {
    taken.fault = corrupt.what();
  }
  return taken;
}

}  // namespace

TEST_CASE("events are read on another thread, in order, from one position to another") {
  RandomLedger ledger(1, 5);
  const RepeatingLog log(ledger.log(), {.end = kEnd});
  const auto [after, last, expected] = GENERATE(table<std::uint64_t, std::uint64_t, std::uint64_t>(
      {{0, UINT64_MAX, kEnd}, {0, kEnd - 1, kEnd - 1}, {1500, 1501, 1}, {kEnd, UINT64_MAX, 0}, {9, 9, 0}}));
  const auto taken = take_all(log, Position(after), Position(last));
  CHECK(taken.events == expected);
  CHECK(taken.in_order);
  CHECK(taken.largest == std::min<std::uint64_t>(expected, kBatch));
  CHECK(taken.fault.empty());
  CHECK(log.reader() != std::this_thread::get_id());
}

TEST_CASE("of several damaged events the first is reported, after the whole batches before it") {
  RandomLedger ledger(1, 5);
  const auto damaged = GENERATE(std::set<std::uint64_t>{1}, std::set<std::uint64_t>{700, 701},
                                std::set<std::uint64_t>{kBatch, kBatch + 1},
                                std::set<std::uint64_t>{kBatch + 3000, kBatch + 9000, 2 * kBatch + 1});
  const RepeatingLog log(ledger.log(), {.end = 2 * kBatch + 10, .damaged = damaged});
  const auto taken = take_all(log, {}, eventstore::kNoLimit);
  const auto first = *damaged.begin();
  CHECK(taken.events == (first - 1) / kBatch * kBatch);
  CHECK(taken.in_order);
  CHECK(taken.fault.find("position " + std::to_string(first) + " ") != std::string::npos);
}

TEST_CASE("a batch of large events ends early") {
  RandomLedger ledger(1, 5);
  constexpr std::size_t kLarge = 64 << 10;
  const RepeatingLog log(ledger.log(), {.end = 1500, .event_bytes_min = kLarge});
  const auto taken = take_all(log, {}, eventstore::kNoLimit);
  CHECK(taken.events == 1500);
  CHECK(taken.largest * kLarge < 2 * eventstore::kDecodedBytes);
}

}  // namespace pixledger::tests
