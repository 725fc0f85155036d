#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace pixledger::http {

// How much of the memory large replies may take that are on their way: callers who read slowly could
// otherwise make the server hold as much of them as it has connections. Small ones are not counted, since
// their sum is bounded by the number of connections. Thread-safe.
class ReplyBudget {
 public:
  static constexpr std::size_t kSmallBytes = 16 * 1024;

  explicit ReplyBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // A reply's part of the budget, until it is gone.
  class Share {
   public:
    Share() = default;
    Share(ReplyBudget& budget, std::size_t bytes) : budget_(&budget), bytes_(bytes) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      release();
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    ~Share() { release(); }
    void release() {
      if (budget_) budget_->in_flight_ -= bytes_;
      budget_ = nullptr;
    }

   private:
    ReplyBudget* budget_ = nullptr;
    std::size_t bytes_ = 0;
  };

  // Nullopt when too much is on its way. A reply that is larger than the whole budget may go alone.
  std::optional<Share> take(std::size_t bytes) {
    if (bytes <= kSmallBytes) return Share();
    const std::size_t before = in_flight_.fetch_add(bytes);
    Share share(*this, bytes);
    if (before == 0 || before + bytes <= bytes_max_) return share;
    ++refused_;
    return std::nullopt;
  }

  std::size_t in_flight() const { return in_flight_; }
  std::uint64_t refused() const { return refused_; }

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> in_flight_{0};
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace pixledger::http
