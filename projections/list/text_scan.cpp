#include "projections/list/text_scan.h"

#include <cassert>

#include "projections/columns/vector_clones.h"

// A search scans 64 places of the text at a time. It first compares the needle's two rarest bytes, and the
// others only at hits. The same scan finds record separators: counting those before a match gives its
// record's number.
namespace pixledger::projections {
namespace {

// How common a byte is in names, e-mails and ids of Brazilian shops; 0 for rare bytes. Letters are by
// frequency in Portuguese; digits and separators of ids are among the most common.
std::size_t commonness(char byte) {
  constexpr std::string_view kRarestFirst = "kwxyjqzhfgbv_#/ p987654lcutm3n.d-2sr@i1oe0a";
  const std::size_t at = kRarestFirst.find(byte);
  return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

// Needle::mark for a needle's bytes.
bool mark_matches(const Needle::Byte* bytes, std::size_t size, const char* text, std::size_t places,
                  std::uint64_t* matches);

PIXLEDGER_VECTOR_CLONES
bool mark_matches(const Needle::Byte* bytes, std::size_t size, const char* text, std::size_t places,
                  std::uint64_t* matches) {
  const Needle::Byte rarest = bytes[0];
  const Needle::Byte next = bytes[size > 1 ? 1 : 0];
  std::uint64_t any = 0;
  std::size_t at = 0;
  for (; at + 64 <= places; at += 64) {
    const char* const first = text + at + rarest.at;
    const char* const second = text + at + next.at;
    std::uint64_t found = bits_where([=](std::size_t i) {
      return static_cast<unsigned>(first[i] == rarest.value) & static_cast<unsigned>(second[i] == next.value);
    });
    for (std::size_t byte = 2; byte < size && found != 0; ++byte) {
      const char* const other = text + at + bytes[byte].at;
      found &= bits_where([=, value = bytes[byte].value](std::size_t i) { return other[i] == value; });
    }
    matches[at / 64] = found;
    any |= found;
  }
  if (at == places) return any != 0;
  std::uint64_t last = (std::uint64_t{1} << (places - at)) - 1;
  for (std::size_t byte = 0; byte < size; ++byte)
    for (std::size_t i = 0; at + i < places; ++i)
      if (text[at + i + bytes[byte].at] != bytes[byte].value) last &= ~(std::uint64_t{1} << i);
  matches[at / 64] = last;
  return (any | last) != 0;
}

Needle::Needle(std::string_view text) {
  assert(!text.empty());
  for (std::size_t i = 0; i < text.size(); ++i) bytes_.push_back({i, text[i]});
  std::stable_sort(bytes_.begin(), bytes_.end(), [](const Byte& left, const Byte& right) {
    return commonness(left.value) < commonness(right.value);
  });
}

bool Needle::mark(const char* text, std::size_t places, std::uint64_t* matches) const {
  return mark_matches(bytes_.data(), bytes_.size(), text, places, matches);
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
