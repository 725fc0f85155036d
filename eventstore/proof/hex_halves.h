#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

// How the ids of events are written: two numbers, each in 16 lower-case hex digits.
namespace pixledger::eventstore {

struct HexHalves {
  static constexpr std::size_t kDigits = 16;  // of each

  std::uint64_t first;
  std::uint64_t second;

  // Also of digits in upper case. Nullopt when it is not twice kDigits.
  static std::optional<HexHalves> parse(std::string_view text) {
    if (text.size() != 2 * kDigits) return std::nullopt;
    const auto first = number_of(text.substr(0, kDigits));
    const auto second = number_of(text.substr(kDigits));
    if (!first || !second) return std::nullopt;
    return HexHalves{*first, *second};
  }

  std::string text() const {
    char digits[2 * kDigits + 1];
    std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(first),
                  static_cast<unsigned long long>(second));
    return digits;
  }

 private:
  static std::optional<std::uint64_t> number_of(std::string_view digits) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return number;
  }
};

}  // namespace pixledger::eventstore
