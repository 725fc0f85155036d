#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/values/timestamp.h"

namespace pixledger {

// A date without a time: all of that day, in a zone that the reader knows.
struct WholeDay {
  std::int64_t number;  // since 1970-01-01
};

// A time as callers and operators give it. Which moments a date stands for is known to a time zone alone.
class GivenTime {
 public:
  static constexpr std::string_view kRule = "must be a time (2026-01-31T12:00:00Z) or a date (2026-01-31)";

  constexpr explicit GivenTime(Timestamp moment) : given_(moment) {}
  static std::optional<GivenTime> parse(std::string_view text);

  // nullopt: a moment was given.
  std::optional<WholeDay> day() const;
  // nullopt: a date was given.
  std::optional<Timestamp> moment() const;

 private:
  constexpr explicit GivenTime(WholeDay day) : given_(day) {}

  std::variant<WholeDay, Timestamp> given_;
};

}  // namespace pixledger
