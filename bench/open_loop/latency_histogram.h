#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace pixledger::bench {

// Counts latencies in buckets whose width grows with them: 64 to each doubling, so a percentile is at
// most 1.6 % too high. In microseconds, up to 2^32 of them (71 minutes); more count as that.
class LatencyHistogram {
 public:
  void add(std::uint64_t micros) {
    max_ = micros > max_ ? micros : max_;
    ++counts_[index_of(micros < kMost ? micros : kMost - 1)];
    ++total_;
  }

  std::uint64_t total() const { return total_; }
  std::uint64_t max() const { return max_; }

  // The upper end of the bucket below which that share lies; 0 of none.
  std::uint64_t percentile(double share) const {
    const auto wanted = static_cast<double>(total_) * share;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen > 0 && static_cast<double>(seen) >= wanted) return end_of(i) < max_ ? end_of(i) : max_;
    }
    return max_;
  }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kSteps = 64;  // to a doubling
  static constexpr int kStepBits = 6;

  // The first 128 microseconds have a bucket each.
  static std::size_t index_of(std::uint64_t micros) {
    const int above = static_cast<int>(std::bit_width(micros)) - (kStepBits + 1);
    if (above <= 0) return micros;
    return static_cast<std::size_t>(above) * kSteps + (micros >> above);
  }
  static std::uint64_t end_of(std::size_t index) {
    if (index < 2 * kSteps) return index;
    const auto above = index / kSteps - 1;
    return ((index - above * kSteps + 1) << above) - 1;
  }

  std::array<std::uint64_t, (32 - kStepBits + 1) * kSteps> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace pixledger::bench
