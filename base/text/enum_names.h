#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace pixledger {

// Whether the enum names this value. Compilers print any other one as a cast: "[Value = (Role)3]".
template <auto Value>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.find_last_not_of("0123456789", text.size() - 2)] != ')';
}

// The names, as literals, of an enum's values from First to Last, its last, without gaps.
template <auto First, auto Last>
class EnumNames {
 public:
  using Enum = decltype(First);

  template <class... Names>
  constexpr explicit EnumNames(Names... names) : names_{names...} {
    static_assert(sizeof...(Names) == kCount, "each value has one name");
    static_assert(!is_enumerator<static_cast<Enum>(kFirst + kCount)>(), "Last is the enum's last value");
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
