#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "projections/list/list_version.h"

namespace pixledger::projections {

// The rows of a block that still match: row i is bit i % 64 of word i / 64. Bits after the last row are 0.
using BlockMask = std::array<std::uint64_t, kBlockRowsMax / 64>;

constexpr std::size_t words_of(std::size_t rows) { return (rows + 63) / 64; }

inline bool is_marked(const BlockMask& mask, std::size_t row) {
  return (mask[row / 64] >> row % 64 & 1U) != 0;
}
inline void mark(BlockMask& mask, std::size_t row) { mask[row / 64] |= std::uint64_t{1} << row % 64; }
inline void unmark(BlockMask& mask, std::size_t row) { mask[row / 64] &= ~(std::uint64_t{1} << row % 64); }

inline void mark_none(BlockMask& mask, std::size_t rows) { std::fill_n(mask.data(), words_of(rows), 0); }

inline void mark_all(BlockMask& mask, std::size_t rows) {
  std::fill_n(mask.data(), rows / 64, ~std::uint64_t{0});
  if (rows % 64 != 0) mask[rows / 64] = (std::uint64_t{1} << rows % 64) - 1;
}

// Unmarks the rows before `first`.
inline void unmark_before(BlockMask& mask, std::size_t first) {
  std::fill_n(mask.data(), first / 64, 0);
  if (first % 64 != 0) mask[first / 64] &= ~std::uint64_t{0} << first % 64;
}

// Calls `visit` with every marked row, from last to first.
template <class Visit>
void for_each_marked(const BlockMask& mask, std::size_t rows, Visit visit) {
  for (std::size_t word = words_of(rows); word-- > 0;) {
    for (std::uint64_t bits = mask[word]; bits != 0;) {
      const auto top = static_cast<std::size_t>(std::bit_width(bits)) - 1;
      visit(word * 64 + top);
      bits ^= std::uint64_t{1} << top;
    }
  }
}

// Gathers 64 answers, one bit each: `hit(i)` says whether the i-th is a hit. It has no branches, so that the
// loop vectorises.
template <class Hit>
[[gnu::always_inline]] inline std::uint64_t bits_where(Hit hit) {
  alignas(64) std::uint8_t hits[64];
  for (std::size_t i = 0; i < 64; ++i) hits[i] = static_cast<std::uint8_t>(-static_cast<int>(hit(i)));
  std::uint64_t word = 0;
#if defined(__SSE2__)
  for (std::size_t i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(hits + i));
    word |= static_cast<std::uint64_t>(_mm_movemask_epi8(bytes)) << i;
  }
#else
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, hits + i, sizeof bytes);
    // Each product's top byte gathers the eight low bits.
    word |= ((bytes & 0x0101010101010101U) * 0x0102040810204080U >> 56) << i;
  }
#endif
  return word;
}

// Keeps the marked rows whose bit in `plane` is `wanted`.
void keep_plane(std::uint64_t* mask, const std::uint64_t* plane, std::size_t rows, bool wanted);

// The hot loops, each compiled for several processor generations. They keep the marked rows whose value
// matches; bounds are inclusive.
void keep_equal_8(std::uint64_t* mask, const std::uint8_t* values, std::size_t rows, std::uint8_t wanted);
void keep_equal_16(std::uint64_t* mask, const std::uint16_t* values, std::size_t rows, std::uint16_t wanted);
void keep_equal_32(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows, std::uint32_t wanted);
// Also marks in `edges` the kept rows whose value equals a bound.
void keep_between_8(std::uint64_t* mask, std::uint64_t* edges, const std::uint8_t* values, std::size_t rows,
                    std::uint8_t min, std::uint8_t max);
// For values whose two bytes are in separate columns.
void keep_between_8_8(std::uint64_t* mask, const std::uint8_t* high, const std::uint8_t* low,
                      std::size_t rows, std::uint16_t min, std::uint16_t max);
void keep_between_32(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows, std::uint32_t min,
                     std::uint32_t max);
void keep_between_64(std::uint64_t* mask, const std::int64_t* values, std::size_t rows, std::int64_t min,
                     std::int64_t max);

// Marks the rows whose value's bit is set: bit value % 64 of word value / 64.
void mark_members(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows,
                  const std::uint64_t* members);

// Counts the marked rows.
std::size_t count_marked(const std::uint64_t* mask, std::size_t rows);

}  // namespace pixledger::projections
