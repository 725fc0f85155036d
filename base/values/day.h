#pragma once

#include <cstdint>

namespace pixledger {

// Of UTC, which has no leap seconds in Unix time.
inline constexpr std::int64_t kMinuteMs = 60'000;
inline constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;

}  // namespace pixledger
