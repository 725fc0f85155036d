#include "domain/values/cuid.h"

#include "base/text/ascii.h"
#include "base/values/bit_mixer.h"

namespace pixledger::domain {
namespace {

constexpr std::uint64_t kTimeValues = 2821109907456U;  // 36^8

void append_base36(std::string& text, std::uint64_t number, std::size_t digits) {
  const std::size_t start = text.size();
  text.resize(start + digits);
  for (std::size_t i = digits; i > 0; --i) {
    text[start + i - 1] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36];
    number /= 36;
  }
}

[[maybe_unused]] bool is_base36(char c) { return is_ascii_digit(c) || is_ascii_lower(c); }

}  // namespace

bool is_cuid(std::string_view text) {
  if (text.size() < 9 || text.size() > 64) return false;
  if (text[0] != 'c' && text[0] != 'C') return false;
  return !any_word(text, 'c', [](std::uint64_t word) {
    return has_byte_below(word, 0x21) || has_byte(word, 0x7f) || has_byte(word, '-');
  });
}

std::string mint_text(const IdMint& recipe, unsigned k) {
  const auto millis = static_cast<std::uint64_t>(recipe.now.millis());
  assert(millis < kTimeValues);
  std::string text;
  text.reserve(kMintedIdSize);
  text.push_back('c');
  append_base36(text, millis, 8);
  append_base36(text, (std::uint64_t{recipe.counter} + k) % kIdCounterValues, 4);
  for (const char c : recipe.log_fingerprint) {
    assert(is_base36(c));
    text.push_back(c);
  }
  append_base36(text, splitmix64(recipe.random, k), 8);
  return text;
}

}  // namespace pixledger::domain
