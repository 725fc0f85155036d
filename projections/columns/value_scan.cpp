#include "projections/columns/value_scan.h"

#include "projections/columns/vector_clones.h"

namespace pixledger::projections {

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

}  // namespace pixledger::projections
