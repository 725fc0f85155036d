#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>

#include "base/platform/clock_and_entropy.h"

namespace pixledger::tests {

// The same bytes for the same seed, on every platform.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : generator_(seed) {}

  void fill(std::span<std::byte> bytes) override {
    const std::lock_guard lock(mutex_);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator_() >> 56);
  }

 private:
  std::mutex mutex_;
  std::mt19937_64 generator_;
};

}  // namespace pixledger::tests
