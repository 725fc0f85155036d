#include "projections/list/text_scan.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "projections/list/vector_clones.h"

namespace pixledger::projections {

/// The first place from `from` up to but without `end` at which `first` stands, with `second` `distance`
/// bytes later; `end` if there is none. Reads up to end + distance.
std::size_t find_pair(const char* text, std::size_t from, std::size_t end, std::size_t distance, char first,
                      char second);

PIXLEDGER_VECTOR_CLONES
std::size_t find_pair(const char* text, std::size_t from, std::size_t end, std::size_t distance, char first,
                      char second) {
  constexpr std::size_t kBlock = 64;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::size_t at = from;
  for (; at + kBlock <= end; at += kBlock) {
    std::array<std::uint8_t, kBlock> hits;
    for (std::size_t i = 0; i < kBlock; ++i)
      hits[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(text[at + i] == first) &
                                          static_cast<std::uint8_t>(text[at + i + distance] == second));
    std::array<std::uint64_t, kBlock / kWord> words;
    std::memcpy(words.data(), hits.data(), kBlock);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    if (any == 0) continue;
    std::size_t word = 0;
    while (words[word] == 0) ++word;
    return at + word * kWord + static_cast<std::size_t>(std::countr_zero(words[word])) / 8;
  }
  while (at < end && !(text[at] == first && text[at + distance] == second)) ++at;
  return at;
}

namespace {

/// How common a byte is in the names, e-mails and ids of Brazilian shops, 0 for those that are rare: letters
/// by their frequency in Portuguese, digits and separators of ids among the most common.
std::size_t commonness(char byte) {
  constexpr std::string_view kRarestFirst = "kwxyjqzhfgbv_#/ p987654lcutm3n.d-2sr@i1oe0a";
  const std::size_t at = kRarestFirst.find(byte);
  return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

Needle::Needle(std::string text) : text_(std::move(text)) {
  assert(!text_.empty());
  const auto rarest_but = [this](std::size_t taken) {
    std::size_t best = taken == 0 && text_.size() > 1 ? 1 : 0;
    for (std::size_t i = 0; i < text_.size(); ++i)
      if (i != taken && commonness(text_[i]) < commonness(text_[best])) best = i;
    return best;
  };
  const std::size_t rarest = rarest_but(text_.size());
  const std::size_t next = text_.size() == 1 ? rarest : rarest_but(rarest);
  first_at_ = std::min(rarest, next);
  second_at_ = std::max(rarest, next);
}

std::size_t Needle::find(std::string_view haystack, std::size_t from) const {
  if (haystack.size() < text_.size()) return kNotFound;
  const std::size_t end = haystack.size() - text_.size() + 1;
  while (from < end) {
    const char* const text = haystack.data() + first_at_;
    from = find_pair(text, from, end, second_at_ - first_at_, text_[first_at_], text_[second_at_]);
    if (from == end) break;
    if (std::memcmp(haystack.data() + from, text_.data(), text_.size()) == 0) return from;
    ++from;
  }
  return kNotFound;
}

}  // namespace pixledger::projections
