#include "projections/list/block_mask.h"

#include <algorithm>
#include <array>

#include "projections/list/vector_clones.h"

namespace pixledger::projections {
namespace {

template <class T>
std::uint32_t largest_of(const T* values, std::size_t count) {
  T largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, values[i]);
  return largest;
}

}  // namespace

// The loops have no branches: comparisons are numbers here, joined by & instead of &&.

PIXLEDGER_VECTOR_CLONES
void keep_bits(MaskByte* __restrict mask, const std::uint8_t* __restrict values, std::size_t count,
               std::uint8_t bits, std::uint8_t wanted) {
  for (std::size_t i = 0; i < count; ++i)
    mask[i] = static_cast<MaskByte>(mask[i] & static_cast<MaskByte>((values[i] & bits) == wanted));
}

PIXLEDGER_VECTOR_CLONES
void keep_equal(MaskByte* __restrict mask, const std::uint8_t* __restrict values, std::size_t count,
                std::uint8_t wanted) {
  for (std::size_t i = 0; i < count; ++i)
    mask[i] = static_cast<MaskByte>(mask[i] & static_cast<MaskByte>(values[i] == wanted));
}

PIXLEDGER_VECTOR_CLONES
void keep_equal(MaskByte* __restrict mask, const std::uint16_t* __restrict values, std::size_t count,
                std::uint16_t wanted) {
  for (std::size_t i = 0; i < count; ++i)
    mask[i] = static_cast<MaskByte>(mask[i] & static_cast<MaskByte>(values[i] == wanted));
}

PIXLEDGER_VECTOR_CLONES
void keep_between(MaskByte* __restrict mask, const std::uint32_t* __restrict values, std::size_t count,
                  std::uint32_t min, std::uint32_t max) {
  // One comparison instead of two: what lies below min wraps to above the width.
  const std::uint32_t width = max - min;
  for (std::size_t i = 0; i < count; ++i)
    mask[i] = static_cast<MaskByte>(mask[i] & static_cast<MaskByte>(values[i] - min <= width));
}

PIXLEDGER_VECTOR_CLONES
void keep_between(MaskByte* __restrict mask, const std::int64_t* __restrict values, std::size_t count,
                  std::int64_t min, std::int64_t max) {
  for (std::size_t i = 0; i < count; ++i)
    mask[i] = static_cast<MaskByte>(mask[i] & static_cast<MaskByte>(values[i] >= min) &
                                    static_cast<MaskByte>(values[i] <= max));
}

PIXLEDGER_VECTOR_CLONES
void mark_equal(MaskByte* __restrict mask, const std::uint32_t* __restrict values, std::size_t count,
                std::uint32_t wanted) {
  for (std::size_t i = 0; i < count; ++i) mask[i] = static_cast<MaskByte>(values[i] == wanted);
}

void mark_members(MaskByte* __restrict mask, const std::uint32_t* __restrict values, std::size_t count,
                  const std::uint8_t* __restrict members) {
  for (std::size_t i = 0; i < count; ++i) mask[i] = members[values[i]];
}

PIXLEDGER_VECTOR_CLONES
std::size_t count_marked(const MaskByte* mask, std::size_t count) {
  constexpr std::size_t kLanes = 64;
  constexpr std::size_t kRoundsMax = 255;  // until a lane of 8 bits could overflow
  std::size_t total = 0;
  std::size_t done = 0;
  while (count - done >= kLanes) {
    std::array<std::uint8_t, kLanes> lanes{};
    const std::size_t rounds = std::min(kRoundsMax, (count - done) / kLanes);
    for (std::size_t round = 0; round < rounds; ++round, done += kLanes)
      for (std::size_t i = 0; i < kLanes; ++i)
        lanes[i] = static_cast<std::uint8_t>(lanes[i] + mask[done + i]);
    for (const std::uint8_t lane : lanes) total += lane;
  }
  for (; done < count; ++done) total += mask[done];
  return total;
}

PIXLEDGER_VECTOR_CLONES
std::size_t find_value(const std::uint32_t* values, std::size_t count, std::uint32_t wanted) {
  constexpr std::size_t kStride = 64;
  std::size_t at = 0;
  for (; at + kStride <= count; at += kStride) {
    std::uint32_t hits = 0;
    for (std::size_t i = 0; i < kStride; ++i) hits += static_cast<std::uint32_t>(values[at + i] == wanted);
    if (hits != 0) break;
  }
  while (at < count && values[at] != wanted) ++at;
  return at;
}

std::uint32_t largest(const std::uint8_t* values, std::size_t count) { return largest_of(values, count); }

std::uint32_t largest(const std::uint16_t* values, std::size_t count) { return largest_of(values, count); }

std::uint32_t largest(const std::uint32_t* values, std::size_t count) { return largest_of(values, count); }

}  // namespace pixledger::projections
