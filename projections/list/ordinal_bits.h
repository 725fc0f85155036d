#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "projections/list/list_query.h"

// Sets of ordinals, as lists and as bits.
namespace pixledger::projections {

using Ordinals = std::vector<std::uint32_t>;  // ascending, each once

// A bit for each ordinal: bit i % 64 of word i / 64. Empty when none is set.
using OrdinalBits = std::vector<std::uint64_t>;

inline void set_bit(OrdinalBits& bits, std::size_t ordinal) {
  bits[ordinal / 64] |= std::uint64_t{1} << ordinal % 64;
}

inline bool has_bit(const OrdinalBits& bits, std::size_t ordinal) {
  return (bits[ordinal / 64] >> ordinal % 64 & 1U) != 0;
}

inline OrdinalBits no_bits(std::size_t ordinals) { return OrdinalBits((ordinals + 63) / 64); }

inline OrdinalBits bits_of(const Ordinals& ordinals, std::size_t end) {
  OrdinalBits bits = no_bits(end);
  for (const std::uint32_t ordinal : ordinals) set_bit(bits, ordinal);
  return bits;
}

// Ascending.
template <class Visit>
inline void for_each_bit(const OrdinalBits& bits, Visit visit) {
  for (std::size_t word = 0; word < bits.size(); ++word)
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
      visit(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

inline Ordinals in_order(Ordinals ordinals, OrdinalRange range) {
  std::erase_if(ordinals, [range](std::uint32_t ordinal) { return !range.contains(ordinal); });
  // Most often they are in order already, and then they may be millions.
  if (!std::is_sorted(ordinals.begin(), ordinals.end())) std::sort(ordinals.begin(), ordinals.end());
  ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
  return ordinals;
}

}  // namespace pixledger::projections
