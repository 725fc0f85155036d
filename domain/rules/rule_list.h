#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "domain/aggregates/event.h"

namespace pixledger::domain {

// What the rules of all events are written with, and the rules of charges, which charge_rules.cpp has.

using Problem = std::optional<std::string>;

struct Rule {
  bool holds;
  const char* otherwise;
};

// The rules are listed in the order in which they are checked; the first that fails is the answer.
inline Problem first_broken(std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) {
    if (!rule.holds) return rule.otherwise;
  }
  return std::nullopt;
}

inline constexpr const char* kNotFirst = "its stream has begun already";
inline constexpr const char* kNothingThere = "its stream has not begun";
inline constexpr const char* kCounted = "that had gone back before";
inline constexpr const char* kOtherStream = "it belongs to another stream or project";

// Why an event may not come next in its charge's stream; nothing when it may.
Problem broken_charge_rule(const Charge* charge, const RecordedEvent& recorded, const ChargeEvent& event);

}  // namespace pixledger::domain
