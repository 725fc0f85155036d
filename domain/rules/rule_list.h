#pragma once

#include <initializer_list>
#include <optional>
#include <string>

// What the rules of events are written with.
namespace pixledger::domain {

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

}  // namespace pixledger::domain
