#include "eventstore/codec/upcast.h"

#include <algorithm>

#include "eventstore/codec/facts.h"

namespace pixledger::eventstore {
namespace {

const UpcastStep* step_of(const std::vector<UpcastStep>& steps, std::uint16_t type,
                          std::uint16_t from_version) {
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const UpcastStep& step) {
    return step.type == type && step.from_version == from_version;
  });
  return found == steps.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<UpcastStep>& upcast_steps() {
  static const std::vector<UpcastStep> none_so_far;
  return none_so_far;
}

std::uint16_t newest_schema_version(std::uint16_t type, const std::vector<UpcastStep>& steps) {
  std::uint16_t version = 1;
  while (step_of(steps, type, version)) ++version;
  return version;
}

std::string_view upcast_facts(Position position, std::uint16_t type, std::uint16_t version,
                              std::string_view facts, std::string& room,
                              const std::vector<UpcastStep>& steps) {
  if (version == 0) throw_damaged(position, "Envelope", "schema_version");
  const auto newest = newest_schema_version(type, steps);
  if (version > newest)
    throw LogCorrupt("the event at position " + std::to_string(position.value()) +
                     " was written by a newer release: upgrade pixledger");
  for (; version < newest; ++version) {
    room = step_of(steps, type, version)->upcast(facts);
    facts = room;
  }
  return facts;
}

}  // namespace pixledger::eventstore
