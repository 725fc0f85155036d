#include "workers/common/duration_text.h"

#include <array>
#include <charconv>
#include <cstdint>

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr milliseconds kDurationMax = std::chrono::hours(24 * 30);

struct Unit {
  std::string_view name;
  milliseconds length;
};
constexpr std::array<Unit, 5> kUnits{{{"ms", 1ms}, {"s", 1s}, {"min", 1min}, {"h", 1h}, {"d", 24h}}};

}  // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 0) return std::nullopt;
  const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (name.empty() && count == 0) return 0ms;
  for (const auto& unit : kUnits) {
    if (unit.name == name && count <= kDurationMax / unit.length) return count * unit.length;
  }
  return std::nullopt;
}

}  // namespace pixledger::workers
