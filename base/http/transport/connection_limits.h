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

// Why a connection was ended, or refused, to keep the limits.
enum class RoomEnding {
  kNewcomer,     // answered 503, because no other connection could be ended
  kSlowRequest,  // had been arriving for over a second
  kSlowReader,   // slow to read its reply
  kIdle          // the longest idle
};
inline constexpr std::size_t kRoomEndings = 4;

// Counts connections in total and per address, and enforces the limits. An IPv6 address counts as its /56
// network. Thread-safe.
class ConnectionCounts {
 public:
  enum class Verdict { kAdmitted, kFull, kAddressFull };

  // `max_per_address` 0: no limit per address.
  ConnectionCounts(std::size_t max, std::size_t max_per_address)
      : max_(max), max_per_address_(max_per_address) {}

  // Counts one more connection if admitted. Without an address only the total applies.
  Verdict add(const std::optional<IpAddress>& address) { return add(address, Limits::kKept); }
  // Counts a connection that replaces another one, already removed.
  void add_replacement(const std::optional<IpAddress>& address) { add(address, Limits::kLifted); }
  void remove(const std::optional<IpAddress>& address);

  std::size_t open() const { return open_.load(std::memory_order_relaxed); }
  // Blocks until no connection is left, or until the deadline.
  void wait_until_none(std::chrono::steady_clock::time_point deadline);

  void note(RoomEnding ending) { ++endings_[static_cast<std::size_t>(ending)]; }
  std::uint64_t endings(RoomEnding ending) const { return endings_[static_cast<std::size_t>(ending)]; }

  // Whether both addresses share one count.
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

// Limits the memory of large replies being sent, or large bodies being received. Otherwise slow peers could
// occupy as much of it as there are connections. One address may use a quarter, so that others have room.
// Small ones are not counted: the connection limit bounds their sum. Thread-safe.
class ByteBudget {
 public:
  static constexpr std::size_t kSmallBytes = 16 * 1024;
  static constexpr std::size_t kSharesInAll = 4;

  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // A reserved part of the budget, released on destruction.
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

  // nullopt if the address or the total exceeds its limit. Something larger than the whole budget may proceed
  // alone, and something larger than an address's share as its only one.
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
  std::unordered_map<std::string, std::size_t> by_address_;  // bytes in flight by address
  std::atomic<std::size_t> in_flight_{0};                    // the total; changed under the lock
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace pixledger::http
