#pragma once

#include <compare>
#include <cstdint>

#include "base/values/timestamp.h"

namespace pixledger {

// An event's position in its log: 1, 2, 3… without gaps or reuse. 0 is "before the first".
class Position {
 public:
  constexpr Position() = default;
  constexpr explicit Position(std::uint64_t value) : value_(value) {}
  constexpr std::uint64_t value() const { return value_; }
  constexpr Position next() const { return Position(value_ + 1); }
  friend constexpr auto operator<=>(Position, Position) = default;

 private:
  std::uint64_t value_ = 0;
};

// The end of a log.
struct Head {
  Position position;  // of the newest event; 0 in an empty log
  Timestamp time;     // of the newest commit
  friend bool operator==(const Head&, const Head&) = default;
};

}  // namespace pixledger
