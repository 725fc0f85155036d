#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace pixledger::workers {

// 0, or a number with ms, s, min, h or d: "5s", "2min", "36h"; at most 30 days.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace pixledger::workers
