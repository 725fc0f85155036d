#include "eventstore/codec/upcast.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

constexpr std::uint16_t kChanged = 61;
constexpr std::uint16_t kUnchanged = 62;

// A type whose facts have changed twice.
const std::vector<UpcastStep> kTwoSteps{
    {kChanged, 1, [](std::string_view facts) { return std::string(facts) + ", in cents"; }},
    {kChanged, 2, [](std::string_view facts) { return "(" + std::string(facts) + ")"; }},
};

std::string lifted(std::uint16_t type, std::uint16_t version) {
  std::string room;
  return std::string(upcast_facts(domain::Position(9), type, version, "facts", room, kTwoSteps));
}

}  // namespace

TEST_CASE("old facts are lifted step by step to today's form") {
  CHECK(lifted(kChanged, 1) == "(facts, in cents)");
  CHECK(lifted(kChanged, 2) == "(facts)");
  CHECK(lifted(kChanged, 3) == "facts");
  CHECK(lifted(kUnchanged, 1) == "facts");
  CHECK(newest_schema_version(kChanged, kTwoSteps) == 3);
  CHECK(newest_schema_version(kUnchanged, kTwoSteps) == 1);
}

TEST_CASE("facts of a schema version that nobody wrote yet are refused") {
  CHECK_THROWS_WITH(lifted(kChanged, 4),
                    "the event at position 9 was written by a newer release: upgrade pixledger");
  CHECK_THROWS_WITH(lifted(kUnchanged, 2),
                    "the event at position 9 was written by a newer release: upgrade pixledger");
  CHECK_THROWS_WITH(lifted(kUnchanged, 0),
                    "the event at position 9 is damaged: Envelope.schema_version has no valid value");
}

TEST_CASE("the steps of one type are consecutive from version 1") {
  std::map<std::uint16_t, std::uint16_t> next;
  for (const auto& step : upcast_steps()) {
    CHECK(step.from_version == next[step.type] + 1);
    next[step.type] = step.from_version;
  }
}
