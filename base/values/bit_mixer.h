#pragma once

#include <cstdint>

namespace pixledger {

// The n-th output of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) from `seed`: spreads every input bit
// over the whole result. Not cryptographic.
constexpr std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace pixledger
