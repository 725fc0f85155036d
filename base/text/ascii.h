// Character classes of ASCII, free of locale.
#pragma once

#include <string_view>

namespace pixledger {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_alnum(char c) { return is_ascii_digit(c) || is_ascii_upper(c) || is_ascii_lower(c); }
constexpr bool is_ascii_printable(char c) { return c >= 0x20 && c <= 0x7e; }

constexpr char to_ascii_lower(char c) { return is_ascii_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char to_ascii_upper(char c) { return is_ascii_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

// Without regard to case.
constexpr bool equal_without_case(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (to_ascii_lower(left[i]) != to_ascii_lower(right[i])) return false;
  }
  return true;
}

// The digit's value, of either case; -1 for what is no hexadecimal digit.
constexpr int hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = to_ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// True also for the empty text.
constexpr bool all_ascii_digits(std::string_view text) {
  for (const char c : text) {
    if (!is_ascii_digit(c)) return false;
  }
  return true;
}

}  // namespace pixledger
