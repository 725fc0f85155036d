#include "projections/columns/state_block.h"

#include <bit>
#include <utility>

namespace pixledger::projections {

StateBlock::StateBlock(Planes planes, std::size_t rows) : planes_(std::move(planes)), rows_(rows) {
  for (const std::uint64_t word : planes_[kSandboxPlane])
    sandbox_rows_ += static_cast<std::size_t>(std::popcount(word));
}

void StateBlock::prefetch(StateByte bits) const {
  constexpr std::size_t kWordsPerLine = 8;
  for (std::size_t bit = 0; bit < kStateBits; ++bit)
    if ((bits >> bit & 1U) != 0)
      for (std::size_t word = 0; word < planes_[bit].size(); word += kWordsPerLine)
        __builtin_prefetch(&planes_[bit][word]);
}

void StateBlock::push_back(StateByte state) {
  if (rows_ % 64 == 0)
    for (auto& plane : planes_) plane.push_back(0);
  set(rows_++, state);
}

void StateBlock::set(std::size_t row, StateByte state) {
  sandbox_rows_ -= planes_[kSandboxPlane][row / 64] >> row % 64 & 1U;
  sandbox_rows_ += state >> kSandboxPlane & 1U;
  for (std::size_t bit = 0; bit < kStateBits; ++bit) {
    std::uint64_t& word = planes_[bit][row / 64];
    const std::uint64_t mark = std::uint64_t{1} << row % 64;
    word = (state >> bit & 1U) != 0 ? word | mark : word & ~mark;
  }
}

bool StateBlock::is_valid() const {
  for (std::size_t row = 0; row < rows_; ++row)
    if (!is_state_byte((*this)[row])) return false;
  if (rows_ % 64 == 0) return true;
  for (const auto& plane : planes_)
    if (plane.back() >> rows_ % 64 != 0) return false;
  return true;
}

std::size_t StateBlock::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& plane : planes_) bytes += plane.capacity() * sizeof(std::uint64_t);
  return bytes;
}

}  // namespace pixledger::projections
