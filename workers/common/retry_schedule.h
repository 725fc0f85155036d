#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/values/timestamp.h"
#include "domain/values/environment.h"

namespace pixledger::workers {

// The attempt times of a delivery: the first delay counts from the event, each later one from the previous
// attempt.
class RetrySchedule {
 public:
  static constexpr std::string_view kRule =
      "must be delays separated by commas, each 0 or a number with ms, s, min, h or d: 0,5s,2min";

  // 12 attempts over about 76 hours.
  static RetrySchedule live();
  static RetrySchedule sandbox();
  static RetrySchedule of(domain::Environment environment);
  // "0,5s,2min"; at most kAttemptsMax delays of at most 30 days each.
  static std::optional<RetrySchedule> parse(std::string_view text);

  // Returns the delay before attempt `attempt` (1, 2, 3…), spread by ±10 % so that failures do not all retry
  // at once. `dice` is any number. Nullopt if there is no such attempt.
  std::optional<std::chrono::milliseconds> delay_before(unsigned attempt, std::uint64_t dice) const;

  static constexpr std::size_t kAttemptsMax = 100;

 private:
  explicit RetrySchedule(std::vector<std::chrono::milliseconds> delays) : delays_(std::move(delays)) {}

  std::vector<std::chrono::milliseconds> delays_;
};

// A random value for a delay.
std::uint64_t roll_dice(Entropy& entropy);

constexpr std::chrono::hours kRetryAfterMax{24};

// Parses a Retry-After header, seconds or a date (RFC 9110 §10.2.3), capped at kRetryAfterMax; nullopt if
// invalid.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, Timestamp now);

constexpr std::chrono::hours kDurationMax{24 * 30};

// 0, or a number with ms, s, min, h or d: "5s", "2min", "36h"; not longer than `max`.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text,
                                                        std::chrono::milliseconds max = kDurationMax);

}  // namespace pixledger::workers
