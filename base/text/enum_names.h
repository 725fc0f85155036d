#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace pixledger {

// The names, as literals, of an enum's values from First to Last without gaps. Last must be the enum's last
// value: the compiler does not detect a value added after it.
template <auto First, auto Last>
class EnumNames {
 public:
  using Enum = decltype(First);

  template <class... Names>
  constexpr explicit EnumNames(Names... names) : names_{names...} {
    static_assert(sizeof...(Names) == kCount, "each value has one name");
  }

  // "unknown" for an invalid value.
  constexpr std::string_view of(Enum value) const {
    const auto at = static_cast<std::size_t>(value) - kFirst;
    return at < kCount ? names_[at] : "unknown";
  }
  constexpr std::optional<Enum> parse(std::string_view text) const {
    for (std::size_t at = 0; at < kCount; ++at) {
      if (names_[at] == text) return static_cast<Enum>(kFirst + at);
    }
    return std::nullopt;
  }

 private:
  static constexpr auto kFirst = static_cast<std::size_t>(First);
  static constexpr auto kCount = static_cast<std::size_t>(Last) - kFirst + 1;

  std::array<std::string_view, kCount> names_;
};

}  // namespace pixledger
