#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace pixledger::http {

// Counts failed authentications by address, IPv6 by /56, which is what one customer of a provider has. An
// address may fail so many times in the minute that its first failure begins. Thread-safe; only failing
// requests come here.
//
// Memory is bounded: beyond kAddressesMax the address whose minute began first is forgotten.
class FailedAuthentications {
 public:
  static constexpr std::uint32_t kFailuresMax = 100;
  // Of people who sign in.
  static constexpr std::uint32_t kSignInFailuresMax = 30;
  static constexpr std::int64_t kWindowMs = 60'000;
  static constexpr std::size_t kAddressesMax = 65'536;

  explicit FailedAuthentications(std::uint32_t failures_max = kFailuresMax) : failures_max_(failures_max) {}

  // Notes a failure. The seconds after which the address may fail again, rounded up, when it has failed too
  // often; else nullopt. `now_ms`: of a clock that is never set.
  std::optional<std::int64_t> note(std::string_view address, std::int64_t now_ms);

  // The same without a failure: whether the address may fail once more.
  std::optional<std::int64_t> wait_of(std::string_view address, std::int64_t now_ms) const;

  std::size_t addresses_known() const;

 private:
  // IPv4, or the first 56 bits of IPv6; what is no address counts as one of its own.
  struct Network {
    enum class Kind : std::uint8_t { kNone, kV4, kV6 } kind = Kind::kNone;
    std::uint64_t bits = 0;
    friend bool operator==(const Network&, const Network&) = default;
  };
  struct NetworkHash {
    std::size_t operator()(const Network& network) const;
  };
  struct Window {
    std::int64_t began_ms;
    std::uint32_t failures;
  };

  static Network network_of(std::string_view address);
  void forget_first();
  std::optional<std::int64_t> wait_in(const Window& window, std::int64_t now_ms) const;

  const std::uint32_t failures_max_;
  mutable std::mutex mutex_;
  std::unordered_map<Network, Window, NetworkHash> windows_;
  std::deque<Network> in_order_;  // of all windows, the one that began first in front
};

}  // namespace pixledger::http
