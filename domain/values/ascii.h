// Character classes of ASCII, free of locale.
#pragma once

#include <string_view>

namespace pixledger::domain {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_alnum(char c) { return is_ascii_digit(c) || is_ascii_upper(c) || is_ascii_lower(c); }
constexpr bool is_ascii_printable(char c) { return c >= 0x20 && c <= 0x7e; }

constexpr char to_ascii_lower(char c) { return is_ascii_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char to_ascii_upper(char c) { return is_ascii_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

/// True also for the empty text.
constexpr bool all_ascii_digits(std::string_view text) {
  for (const char c : text) {
    if (!is_ascii_digit(c)) return false;
  }
  return true;
}

}  // namespace pixledger::domain
