#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace pixledger {

// A moment: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
class Timestamp {
 public:
  // 1970-01-01T00:00:00Z.
  constexpr Timestamp() = default;
  constexpr explicit Timestamp(std::int64_t millis) : millis_(millis) {}

  constexpr std::int64_t millis() const { return millis_; }

  // Asserts that the result fits in 64 bits.
  Timestamp plus_millis(std::int64_t duration_ms) const;

  friend constexpr auto operator<=>(const Timestamp&, const Timestamp&) = default;

 private:
  std::int64_t millis_ = 0;
};

// The last moment that has an ISO 8601 text of our form: 9999-12-31T23:59:59.999Z.
inline constexpr Timestamp kLastTimestamp{253402300799999};

inline constexpr std::size_t kIso8601Size = 24;

// "2026-01-31T12:00:00.123Z". The moment must lie in the years 1970 to 9999; anything else asserts.
std::string to_iso8601(Timestamp moment);

// The same into `out`, exactly kIso8601Size characters without a terminator; returns the end.
char* write_iso8601(Timestamp moment, char* out);

// A date and time as RFC 3339 writes it: "2026-01-31T12:00:00", a fraction of 1 to 9 digits or none, then
// `Z` or an offset of ±hh:mm. Digits after the millisecond are cut off. The date must exist, second 60 does
// not, and the moment must lie in the years 1970 to 9999 in UTC.
std::optional<Timestamp> parse_iso8601(std::string_view text);

// Midnight UTC of "2026-01-31".
std::optional<Timestamp> parse_date(std::string_view text);

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
