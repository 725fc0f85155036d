#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

/// The hot loops: a mask has a byte for each row, 1 where the row still matches, else 0. They are written so
/// that the compiler vectorises them, and compiled once for each generation of processors
/// (vector_clones.h).

namespace pixledger::projections {

using MaskByte = std::uint8_t;

/// Keeps the rows whose value, under `bits`, is `wanted`.
void keep_bits(MaskByte* mask, const std::uint8_t* values, std::size_t count, std::uint8_t bits,
               std::uint8_t wanted);

/// Keeps the rows whose value is `wanted`.
void keep_equal(MaskByte* mask, const std::uint8_t* values, std::size_t count, std::uint8_t wanted);
void keep_equal(MaskByte* mask, const std::uint16_t* values, std::size_t count, std::uint16_t wanted);

/// Keeps the rows whose value lies in `min` to `max`, both inclusive.
void keep_between(MaskByte* mask, const std::uint32_t* values, std::size_t count, std::uint32_t min,
                  std::uint32_t max);
void keep_between(MaskByte* mask, const std::int64_t* values, std::size_t count, std::int64_t min,
                  std::int64_t max);

/// Makes a mask of the rows whose value is `wanted`.
void mark_equal(MaskByte* mask, const std::uint32_t* values, std::size_t count, std::uint32_t wanted);

/// Makes a mask of the rows for whose value `members` has a 1.
void mark_members(MaskByte* mask, const std::uint32_t* values, std::size_t count,
                  const std::uint8_t* members);

/// How many rows are left.
std::size_t count_marked(const MaskByte* mask, std::size_t count);

/// Calls `visit` with the place of every marked row, from the first to the last.
template <class Visit>
void for_each_marked(const MaskByte* mask, std::size_t count, Visit visit) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::size_t i = 0;
  for (; i + kWord <= count; i += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, mask + i, kWord);
    for (std::size_t k = i; word != 0 && k < i + kWord; ++k)
      if (mask[k] != 0) visit(k);
  }
  for (; i < count; ++i)
    if (mask[i] != 0) visit(i);
}

/// Where `wanted` first occurs; `count` where it does not.
std::size_t find_value(const std::uint32_t* values, std::size_t count, std::uint32_t wanted);

/// The largest value; 0 where there is none.
std::uint32_t largest(const std::uint8_t* values, std::size_t count);
std::uint32_t largest(const std::uint16_t* values, std::size_t count);
std::uint32_t largest(const std::uint32_t* values, std::size_t count);

}  // namespace pixledger::projections
