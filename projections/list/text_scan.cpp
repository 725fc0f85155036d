#include "projections/list/text_scan.h"

#include <cassert>
#include <cstring>
#include <span>

#include "projections/columns/vector_clones.h"
#include "projections/list/text_kernels.h"

// A search scans 64 places of the text at a time. It first compares the needle's two rarest bytes, and the
// others only at hits. The same scan finds record separators: counting those before a match gives its
// record's number.
namespace pixledger::projections {
namespace {

constexpr std::size_t kBlock = 64;

// How common a byte is in names, e-mails and ids of Brazilian shops; 0 for rare bytes. Letters are by
// frequency in Portuguese; digits and separators of ids are among the most common.
std::size_t commonness(char byte) {
  constexpr std::string_view kRarestFirst = "kwxyjqzhfgbv_#/ p987654lcutm3n.d-2sr@i1oe0a";
  const std::size_t at = kRarestFirst.find(byte);
  return at == std::string_view::npos ? 0 : at + 1;
}

bool stands_at(std::span<const Needle::Byte> needle, const char* text) {
  return std::all_of(needle.begin(), needle.end(),
                     [text](const Needle::Byte& byte) { return text[byte.at] == byte.value; });
}

}  // namespace

// Writes 1 where text[i] is `first` and other[i] is `second`, else 0; returns whether there is a hit. All
// three have kBlock bytes.
bool match_pair(const char* text, char first, const char* other, char second, std::uint8_t* hits);
// Keeps the hits where text[i] is `value`.
void keep_byte(const char* text, char value, std::uint8_t* hits);

PIXLEDGER_VECTOR_CLONES
bool match_pair(const char* text, char first, const char* other, char second, std::uint8_t* hits) {
  for (std::size_t i = 0; i < kBlock; ++i)
    hits[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(text[i] == first) &
                                        static_cast<std::uint8_t>(other[i] == second));
  std::uint64_t words[kBlock / sizeof(std::uint64_t)];
  std::memcpy(words, hits, kBlock);
  std::uint64_t any = 0;
  for (const std::uint64_t word : words) any |= word;
  return any != 0;
}

PIXLEDGER_VECTOR_CLONES
void keep_byte(const char* text, char value, std::uint8_t* hits) {
  for (std::size_t i = 0; i < kBlock; ++i) hits[i] &= static_cast<std::uint8_t>(text[i] == value);
}

Needle::Needle(std::string_view text) {
  assert(!text.empty());
  for (std::size_t i = 0; i < text.size(); ++i) bytes_.push_back({i, text[i]});
  std::stable_sort(bytes_.begin(), bytes_.end(), [](const Byte& left, const Byte& right) {
    return commonness(left.value) < commonness(right.value);
  });
}

bool mark_matches_portable(std::span<const Needle::Byte> needle, const char* text, std::size_t places,
                           std::uint64_t* matches) {
  const Needle::Byte rarest = needle.front();
  const Needle::Byte next = needle[needle.size() > 1 ? 1 : 0];
  std::uint64_t any = 0;
  std::uint8_t hits[kBlock];
  std::size_t at = 0;
  for (; at + kBlock <= places; at += kBlock) {
    std::uint64_t& found = matches[at / kBlock];
    found = 0;
    if (!match_pair(text + at + rarest.at, rarest.value, text + at + next.at, next.value, hits)) continue;
    for (std::size_t i = 2; i < needle.size(); ++i)
      keep_byte(text + at + needle[i].at, needle[i].value, hits);
    found = bits_of(hits);
    any |= found;
  }
  if (at == places) return any != 0;
  std::uint64_t last = 0;
  for (std::size_t i = 0; at + i < places; ++i) last |= std::uint64_t{stands_at(needle, text + at + i)} << i;
  matches[at / kBlock] = last;
  return (any | last) != 0;
}

bool Needle::mark(const char* text, std::size_t places, std::uint64_t* matches) const {
  static const MarkMatches best =
      avx512_mark_matches() != nullptr ? avx512_mark_matches() : mark_matches_portable;
  return best(bytes_, text, places, matches);
}

PIXLEDGER_VECTOR_CLONES
std::size_t records_with_match(const TextWindow& window, std::size_t places, TextWindow::Records& records) {
  const std::uint64_t* const matches = window.matches.data();
  const std::uint64_t* const separators = window.separators.data();
  std::uint32_t* const found = records.data();
  std::size_t count = 0;
  std::uint32_t record = 0;
  for (std::size_t word = 0; word < words_of(places); ++word) {
    std::uint64_t matched = matches[word];
    std::uint64_t ends = separators[word];
    while (matched != 0) {
      const std::uint64_t before = (matched & -matched) - 1;
      record += static_cast<std::uint32_t>(__builtin_popcountll(ends & before));
      // A matching record that continues in the next word would be found twice.
      if (count == 0 || found[count - 1] != record) found[count++] = record;
      ends &= ~before;
      if (ends == 0) break;
      matched &= ~(ends ^ (ends - 1));
      ends &= ends - 1;
      ++record;
    }
    record += static_cast<std::uint32_t>(__builtin_popcountll(ends));
  }
  return count;
}

}  // namespace pixledger::projections
