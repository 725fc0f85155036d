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

// The last moment that our ISO 8601 text can express: 9999-12-31T23:59:59.999Z.
inline constexpr Timestamp kLastTimestamp{253402300799999};

inline constexpr std::size_t kIso8601Size = 24;

// "2026-01-31T12:00:00.123Z". Asserts that the moment lies in the years 1970 to 9999.
std::string to_iso8601(Timestamp moment);

// Writes the same to `out`: exactly kIso8601Size characters, no terminator. Returns the end.
char* write_iso8601(Timestamp moment, char* out);

// Parses an RFC 3339 date and time: "2026-01-31T12:00:00", an optional fraction of 1 to 9 digits, then `Z` or
// an offset of ±hh:mm. Digits after the millisecond are cut off. The date must exist, second 60 is invalid,
// and the moment must lie in the years 1970 to 9999 in UTC.
std::optional<Timestamp> parse_iso8601(std::string_view text);

// Midnight UTC of "2026-01-31".
std::optional<Timestamp> parse_date(std::string_view text);

// A date without a time: the whole day, in a zone that the context defines.
struct WholeDay {
  std::int64_t number;  // since 1970-01-01
};

// A time from a caller or operator. Which moments a date covers depends on the time zone.
class GivenTime {
 public:
  static constexpr std::string_view kRule = "must be a time (2026-01-31T12:00:00Z) or a date (2026-01-31)";

  constexpr explicit GivenTime(Timestamp moment) : given_(moment) {}
  static std::optional<GivenTime> parse(std::string_view text);

  // nullopt if a moment was given.
  std::optional<WholeDay> day() const;
  // nullopt if a date was given.
  std::optional<Timestamp> moment() const;

 private:
  constexpr explicit GivenTime(WholeDay day) : given_(day) {}

  std::variant<WholeDay, Timestamp> given_;
};

}  // namespace pixledger
