#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/values/ip_address.h"

namespace pixledger::http {

// For want of room a connection ends, or is refused, as one of these.
enum class RoomEnding {
  kNewcomer,     // answered 503, since no other could make room
  kSlowRequest,  // had been arriving for over a second
  kSlowReader,   // of its reply
  kIdle          // the longest
};
inline constexpr std::size_t kRoomEndings = 4;

// How many connections there are, in all and from each address, and how many there may be. An IPv6 address
// counts with its network of 56 bits. Thread-safe.
class ConnectionCounts {
 public:
  enum class Verdict { kAdmitted, kFull, kAddressFull };

  // `max_per_address` 0: as many as there may be in all.
  ConnectionCounts(std::size_t max, std::size_t max_per_address)
      : max_(max), max_per_address_(max_per_address) {}

  // Counts one more where it is admitted. Without an address it counts in all alone.
  Verdict add(const std::optional<IpAddress>& address) { return add(address, Limits::kKept); }
  // One that takes another's place, which was counted out.
  void add_replacement(const std::optional<IpAddress>& address) { add(address, Limits::kLifted); }
  void remove(const std::optional<IpAddress>& address);

  std::size_t open() const { return open_.load(std::memory_order_relaxed); }
  // Until nothing is left, or the time has come.
  void wait_until_none(std::chrono::steady_clock::time_point deadline);

  void note(RoomEnding ending) { ++endings_[static_cast<std::size_t>(ending)]; }
  std::uint64_t endings(RoomEnding ending) const { return endings_[static_cast<std::size_t>(ending)]; }

  // Whether two connections count for the same address.
  static bool are_same(const std::optional<IpAddress>& one, const std::optional<IpAddress>& other);

 private:
  struct Network {
    std::uint64_t bits;
    bool is_v4;
    friend bool operator==(const Network&, const Network&) = default;
  };
  struct NetworkHash {
    std::size_t operator()(const Network& network) const;
  };
  enum class Limits { kKept, kLifted };

  static Network network_of(const IpAddress& address);
  Verdict add(const std::optional<IpAddress>& address, Limits limits);

  const std::size_t max_;
  const std::size_t max_per_address_;
  std::atomic<std::size_t> open_{0};
  std::array<std::atomic<std::uint64_t>, kRoomEndings> endings_{};
  std::mutex mutex_;
  std::condition_variable none_;
  std::unordered_map<Network, std::size_t, NetworkHash> of_network_;
};

// How much of the memory large replies may take that are on their way, or large bodies: callers who read or
// send slowly could otherwise make the server hold as much of them as it has connections. A quarter of it is
// the share of one caller's address, so that a slow caller leaves room for the others. Small ones are not
// counted, since their sum is bounded by the number of connections. Thread-safe.
class ByteBudget {
 public:
  static constexpr std::size_t kSmallBytes = 16 * 1024;
  static constexpr std::size_t kSharesInAll = 4;

  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // The part of the budget that one takes, until it is gone.
  class Share {
   public:
    Share() = default;
    Share(ByteBudget& budget, std::string address, std::size_t bytes)
        : budget_(&budget), address_(std::move(address)), bytes_(bytes) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          address_(std::move(other.address_)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      release();
      budget_ = std::exchange(other.budget_, nullptr);
      address_ = std::move(other.address_);
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    ~Share() { release(); }
    void release() {
      if (budget_) budget_->give_back(address_, bytes_);
      budget_ = nullptr;
    }

   private:
    ByteBudget* budget_ = nullptr;
    std::string address_;
    std::size_t bytes_ = 0;
  };

  // Nullopt when too much is on its way, of this address or in all. What is larger than the whole budget may
  // go alone, and what is larger than an address's share as its only one.
  std::optional<Share> take(const std::string& address, std::size_t bytes) {
    if (bytes <= kSmallBytes) return Share();
    const std::lock_guard lock(mutex_);
    const auto theirs = by_address_.find(address);
    const auto before = theirs == by_address_.end() ? 0 : theirs->second;
    const bool has_room = in_flight_ == 0 || in_flight_ + bytes <= bytes_max_;
    const bool has_share = before == 0 || before + bytes <= bytes_max_ / kSharesInAll;
    if (!has_room || !has_share) {
      ++refused_;
      return std::nullopt;
    }
    by_address_[address] += bytes;
    in_flight_ += bytes;
    return Share(*this, address, bytes);
  }

  std::size_t in_flight() const { return in_flight_; }
  std::uint64_t refused() const { return refused_; }

 private:
  void give_back(const std::string& address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    in_flight_ -= bytes;
    const auto theirs = by_address_.find(address);
    if ((theirs->second -= bytes) == 0) by_address_.erase(theirs);
  }

  const std::size_t bytes_max_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> by_address_;  // what is on its way of each
  std::atomic<std::size_t> in_flight_{0};                    // all of them; changed under the lock
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace pixledger::http
