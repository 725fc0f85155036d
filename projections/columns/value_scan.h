#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace pixledger::projections {

// Index of the first `wanted`, or `count`.
std::size_t find_value(const std::uint32_t* values, std::size_t count, std::uint32_t wanted);

// The largest value; 0 if there are no values.
template <class T>
std::uint32_t largest(const T* values, std::size_t count) {
  T largest_yet = 0;
  for (std::size_t i = 0; i < count; ++i) largest_yet = std::max(largest_yet, values[i]);
  return largest_yet;
}

}  // namespace pixledger::projections
