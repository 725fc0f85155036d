// Looking at a text eight bytes at once, for what every request does to many short texts.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace pixledger {

// A word of eight bytes, each of which is `byte`.
constexpr std::uint64_t eight_of(unsigned char byte) { return 0x0101'0101'0101'0101U * byte; }

// Whether some byte of the word is less than `limit`, which is at most 0x80.
constexpr bool has_byte_below(std::uint64_t word, unsigned char limit) {
  // A byte borrows only from those above it, so the lowest that is less is always seen.
  return ((word - eight_of(limit)) & ~word & eight_of(0x80)) != 0;
}

constexpr bool has_byte(std::uint64_t word, char byte) {
  return has_byte_below(word ^ eight_of(static_cast<unsigned char>(byte)), 1);
}

// Whether `finds` is true of some word of the text. Its end is filled up with `harmless`, which no word is to
// be found for.
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
