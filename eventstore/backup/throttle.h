#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

namespace pixledger::eventstore {

// Keeps a copy at a rate, so that it leaves the disk to others. Not for several threads.
class Throttle {
 public:
  // No limit unless given.
  explicit Throttle(std::optional<double> bytes_per_second) : bytes_per_second_(bytes_per_second) {}

  // So many bytes more have been copied: sleeps when that was too fast.
  void pass(std::uint64_t bytes) {
    if (!bytes_per_second_) return;
    const auto due = std::chrono::duration<double>(static_cast<double>(bytes) / *bytes_per_second_);
    const auto now = std::chrono::steady_clock::now();
    // What was not used while there was nothing to copy is not made up for.
    if (free_at_ < now) free_at_ = now;
    free_at_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(due);
    std::this_thread::sleep_until(free_at_);
  }

 private:
  std::optional<double> bytes_per_second_;
  std::chrono::steady_clock::time_point free_at_{};
};

}  // namespace pixledger::eventstore
