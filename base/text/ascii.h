#pragma once

// Character classes of ASCII, independent of the locale.

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace pixledger {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_alnum(char c) { return is_ascii_digit(c) || is_ascii_upper(c) || is_ascii_lower(c); }
constexpr bool is_ascii_printable(char c) { return c >= 0x20 && c <= 0x7e; }
// Unreserved characters of RFC 3986 §2.3.
constexpr bool is_unreserved(char c) {
  return is_ascii_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

constexpr char to_ascii_lower(char c) { return is_ascii_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char to_ascii_upper(char c) { return is_ascii_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

// Non-ASCII letters stay unchanged.
inline std::string to_lower_case(std::string_view text) {
  std::string changed(text);
  for (char& c : changed) c = to_ascii_lower(c);
  return changed;
}
inline std::string to_upper_case(std::string_view text) {
  std::string changed(text);
  for (char& c : changed) c = to_ascii_upper(c);
  return changed;
}

// Ignores ASCII case.
constexpr bool equal_without_case(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (to_ascii_lower(left[i]) != to_ascii_lower(right[i])) return false;
  }
  return true;
}

// Whether both spell the same JSON member, as banks vary it: "txId", "TXID", "tx_id".
constexpr bool is_same_name(std::string_view left, std::string_view right) {
  const auto skip_marks = [](std::string_view& name) {
    while (!name.empty() && (name.front() == '_' || name.front() == '-')) name.remove_prefix(1);
  };
  while (true) {
    skip_marks(left);
    skip_marks(right);
    if (left.empty() || right.empty()) return left.empty() && right.empty();
    if (to_ascii_lower(left.front()) != to_ascii_lower(right.front())) return false;
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
}

// The digit's value, of either case; -1 if it is not hexadecimal.
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

// The number if the whole text is one (std::from_chars), else nullopt.
template <class Number, class... Base>
std::optional<Number> whole_number(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Scans texts eight bytes at once; every request checks many short texts.

// A word with all eight bytes equal to `byte`.
constexpr std::uint64_t eight_of(unsigned char byte) { return 0x0101'0101'0101'0101U * byte; }

// Whether some byte of the word is less than `limit`, which is at most 0x80.
constexpr bool has_byte_below(std::uint64_t word, unsigned char limit) {
  // A borrow only affects higher bytes, so the lowest matching byte is always detected.
  return ((word - eight_of(limit)) & ~word & eight_of(0x80)) != 0;
}

constexpr bool has_byte(std::uint64_t word, char byte) {
  return has_byte_below(word ^ eight_of(static_cast<unsigned char>(byte)), 1);
}

// Whether `finds` returns true for a word of the text. The last word is padded with `harmless`, which must
// not match.
template <class Finds>
bool any_word(std::string_view text, char harmless, Finds finds) {
  std::uint64_t word = 0;
  for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    if (finds(word)) return true;
  }
  if (text.empty()) return false;
  word = eight_of(static_cast<unsigned char>(harmless));
  std::memcpy(&word, text.data(), text.size());
  return finds(word);
}

}  // namespace pixledger
