#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/values/environment.h"

namespace pixledger::projections {

// A charge's status and environment.
using StateByte = std::uint8_t;
inline constexpr std::size_t kStateBits = 4;
inline constexpr StateByte kStatusBits = 0x07;
inline constexpr std::size_t kSandboxPlane = 3;
inline constexpr StateByte kSandboxBit = 1U << kSandboxPlane;
static_assert(static_cast<unsigned>(domain::ChargeStatus::kFailed) <= kStatusBits);

constexpr StateByte state_byte(domain::ChargeStatus status, domain::Environment environment) {
  const unsigned sandbox = environment == domain::Environment::kSandbox ? kSandboxBit : 0U;
  return static_cast<StateByte>(static_cast<unsigned>(status) | sandbox);
}

constexpr bool is_state_byte(StateByte state) {
  return state <= (kStatusBits | kSandboxBit) &&
         (state & kStatusBits) <= static_cast<unsigned>(domain::ChargeStatus::kFailed);
}

// The states of a block's charges as bit planes: bit row % 64 of word row / 64 of plane i is bit i of the
// row's state. A filter reads only the planes that it needs. Bits after the last row are 0.
class StateBlock {
 public:
  using Planes = std::array<std::vector<std::uint64_t>, kStateBits>;

  StateBlock() = default;
  // Each plane has the words of `rows` rows.
  StateBlock(Planes planes, std::size_t rows);

  std::size_t size() const { return rows_; }
  std::size_t sandbox_rows() const { return sandbox_rows_; }
  std::span<const std::uint64_t> plane(std::size_t bit) const { return planes_[bit]; }

  StateByte operator[](std::size_t row) const {
    unsigned state = 0;
    for (std::size_t bit = 0; bit < kStateBits; ++bit)
      state |= static_cast<unsigned>(planes_[bit][row / 64] >> row % 64 & 1U) << bit;
    return static_cast<StateByte>(state);
  }

  // Prefetches the planes of `bits`.
  void prefetch(StateByte bits) const;
  void push_back(StateByte state);
  void set(std::size_t row, StateByte state);
  // True if every row's state is valid and no bit after the last row is set.
  bool is_valid() const;
  // Excludes the block itself.
  std::size_t memory_bytes() const;

 private:
  Planes planes_;
  std::size_t rows_ = 0;
  std::size_t sandbox_rows_ = 0;
};

}  // namespace pixledger::projections
