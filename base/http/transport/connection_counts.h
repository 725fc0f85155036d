#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

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
  // Until there is none, or the time has come.
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

}  // namespace pixledger::http
