// Verify reads ahead, but reports the finding with the lowest position. PIXLEDGER_SEED sets the seed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "eventstore/codec/codec.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tools/audit/verifier.h"

namespace pixledger::tests {
namespace {

// Many times what is read at once.
RandomLedger long_ledger() { return RandomLedger(seed_from_environment(11), 4000); }

// The ledger with events that cannot be read at these positions, under a tree that fits.
eventstore::MemoryLog damaged(const RandomLedger& ledger, const std::set<std::uint64_t>& positions) {
  eventstore::MemoryContents contents;
  for (auto event : ledger.log().read_after({}, ledger.events().size())) {
    const auto decoded = eventstore::decode(event);
    if (positions.count(event.position.value()) != 0) event.bytes.resize(event.bytes.size() / 2);
    contents.append(decoded.stream, event,
                    domain::claims_of({decoded.stream, decoded.project, decoded.event}));
  }
  contents.head.time = ledger.log().head().time;
  return eventstore::MemoryLog(ledger.log().identity(), std::move(contents));
}

}  // namespace

TEST_CASE("verify counts the same in many batches as in one") {
  auto ledger = long_ledger();
  finish_erasures(ledger.log());
  std::set<std::string> streams;
  std::uint64_t claims = 0;
  for (const auto& event : ledger.events()) {
    streams.insert(event.stream.text());
    claims += domain::claims_of({event.stream, event.project, event.event}).size();
  }
  std::uint64_t told = 0;
  const auto result = tools::verify_log(
      ledger.log(), {.progress = [&told](std::uint64_t done, std::uint64_t) { told = done; }});
  INFO((result.finding ? result.finding->problem : ""));
  CHECK_FALSE(result.finding);
  CHECK(result.events == ledger.events().size());
  CHECK(result.streams == streams.size());
  CHECK(result.claims == claims);
  CHECK(told == 2 * ledger.events().size());
}

TEST_CASE("the first of several damaged events is reported, in any order of their streams") {
  auto ledger = long_ledger();
  finish_erasures(ledger.log());
  // A problem of a project's or a customer's events shows at events that refer to them, too.
  std::vector<std::uint64_t> of_charges;
  for (const auto& event : ledger.events()) {
    if (event.stream.kind() == domain::StreamKind::kCharge) of_charges.push_back(event.position.value());
  }
  RandomNumbers random(seed_from_environment(11));
  for (int round = 0; round < 20; ++round) {
    std::set<std::uint64_t> positions;
    for (auto count = 1 + random.below(3); count > 0; --count)
      positions.insert(of_charges[random.below(of_charges.size())]);
    const auto log = damaged(ledger, positions);
    const auto first = *positions.begin();
    INFO("position " << first << " of " << ledger.events().size());
    const auto streams = tools::verify_streams(log, {});
    REQUIRE(streams.finding);
    CHECK(streams.finding->position.value() == first);
    CHECK(streams.finding->problem.find("is damaged") != std::string::npos);
    CHECK(tools::verify_log(log, {}).finding->position.value() == first);
  }
}

}  // namespace pixledger::tests
