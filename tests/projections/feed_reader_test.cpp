#include "projections/views/feed_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "projections/generations/generation.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using projections::FeedAudience;
using projections::FeedChunk;
using projections::FeedQuery;

namespace {

using Positions = std::vector<Position>;

// The feed's correct events, computed from every event.
Positions expected(const RandomLedger& ledger, const domain::ProjectId& project, bool sandbox_only) {
  std::map<std::string, domain::Environment> environments;
  Positions positions;
  for (const auto& event : ledger.events()) {
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    if (of_charge) {
      if (const auto* created = std::get_if<domain::ChargeCreated>(of_charge))
        environments.emplace(event.stream.text(), created->environment);
    }
    if (event.project != project) continue;
    const auto environment = of_charge ? environments.at(event.stream.text()) : event.stream.environment();
    const bool in_sandbox = environment == domain::Environment::kSandbox;
    if (!sandbox_only || in_sandbox) positions.push_back(event.position);
  }
  return positions;
}

Positions read_all(const projections::ViewDatabase& store, FeedQuery query) {
  Positions all;
  while (true) {
    const auto page = projections::read_feed(store, query);
    all.insert(all.end(), page.positions.begin(), page.positions.end());
    CHECK(page.positions.size() <= query.limit);
    if (page.at_end) return all;
    REQUIRE(page.looked_until > query.after);
    query.after = page.looked_until;
  }
}

}  // namespace

TEST_CASE("a chunk finds the positions that were added, and no others") {
  const auto seed = seed_from_environment(71);
  INFO("PIXLEDGER_SEED=" << seed);
  RandomNumbers random(seed);
  for (int round = 0; round < 50; ++round) {
    const auto number = random.below(4);
    const auto first = number * FeedChunk::kPositions;
    FeedChunk chunk;
    std::map<std::uint64_t, FeedAudience> model;
    for (auto events = random.below(600); events > 0; --events) {
      const auto position = first + random.below(FeedChunk::kPositions);
      const auto audience = random.one_in(2) ? FeedAudience::kEveryKey : FeedAudience::kLiveKeys;
      if (model.emplace(position, audience).second) chunk.add(Position(position), audience);
    }
    chunk = FeedChunk::from_bytes(chunk.bytes());
    for (const bool sandbox_only : {false, true}) {
      std::optional<Position> next;
      for (auto from = first + FeedChunk::kPositions + 2; from-- > (first == 0 ? 0 : first - 2);) {
        const auto found = model.find(from);
        if (found != model.end() && (!sandbox_only || found->second == FeedAudience::kEveryKey))
          next = Position(from);
        REQUIRE(chunk.next(number, Position(from), sandbox_only) == next);
      }
    }
  }
  CHECK_THROWS_AS(FeedChunk::from_bytes("too short"), std::runtime_error);
}

TEST_CASE("the feed of any ledger equals its events, whatever the pages and batches") {
  const auto seed = seed_from_environment(72);
  INFO("PIXLEDGER_SEED=" << seed);
  const RandomLedger ledger(seed, 3'000);
  TemporaryDirectory directory;
  const auto options = tests::one_gigabyte();
  const auto generation =
      projections::Generation::open_or_build(directory.path() / "views", ledger.log(), options);
  for (const auto& project : ledger.projects()) {
    for (const bool sandbox_only : {false, true}) {
      const auto wanted = expected(ledger, project, sandbox_only);
      REQUIRE_FALSE(wanted.empty());
      for (const std::size_t limit : {1U, 3U, 100U, 100'000U})
        REQUIRE(read_all(generation->database(), {project, sandbox_only, {}, limit}) == wanted);
      REQUIRE(read_all(generation->database(), {project, sandbox_only, {}, 7, 1}) == wanted);
      RandomNumbers random(seed);
      for (int i = 0; i < 50; ++i) {
        const Position after(random.below(ledger.events().size() + 2));
        const auto rest = read_all(generation->database(), {project, sandbox_only, after, 10});
        const auto from =
            std::find_if(wanted.begin(), wanted.end(), [&](Position one) { return one > after; });
        REQUIRE(rest == Positions(from, wanted.end()));
      }
    }
  }
  const auto nobody = domain::ProjectId::parse("cnobody000000").value();
  CHECK(read_all(generation->database(), {nobody, false, {}, 10}).empty());
}
