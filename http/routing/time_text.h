#pragma once

#include <optional>
#include <string_view>

#include "domain/values/timestamp.h"

namespace pixledger::http {

// A moment in a body, with the rule that a caller is told.
struct TimeText {
  static constexpr std::string_view kRule = "must be a time such as 2027-01-31T12:00:00Z";
  static std::optional<TimeText> parse(std::string_view text) {
    const auto moment = domain::parse_iso8601(text);
    if (!moment) return std::nullopt;
    return TimeText{*moment};
  }
  domain::Timestamp moment;
};

}  // namespace pixledger::http
