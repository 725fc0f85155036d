#include "eventstore/codec_lift.h"

#include <algorithm>

#include "eventstore/codec_facts.h"

namespace pixledger::eventstore {
namespace {

const LiftStep* step_of(const std::vector<LiftStep>& steps, std::uint16_t type, std::uint16_t from_version) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const LiftStep& step) {
    return step.type == type && step.from_version == from_version;
  });
  return found == steps.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<LiftStep>& lift_steps() {
  static const std::vector<LiftStep> none_so_far;
  return none_so_far;
}

std::uint16_t newest_schema_version(std::uint16_t type, const std::vector<LiftStep>& steps) {
  std::uint16_t version = 1;
  while (step_of(steps, type, version)) ++version;
  return version;
}

std::string_view lift_facts(Position position, std::uint16_t type, std::uint16_t version,
                            std::string_view facts, std::string& room, const std::vector<LiftStep>& steps) {
  if (version == 0) throw_damaged(position, "Envelope", "schema_version");
  const auto newest = newest_schema_version(type, steps);
  if (version > newest)
    throw LogCorrupt("the event at position " + std::to_string(position.value()) +
                     " was written by a newer release: upgrade pixledger");
  for (; version < newest; ++version) {
    room = step_of(steps, type, version)->lift(facts);
    facts = room;
  }
  return facts;
}

}  // namespace pixledger::eventstore
