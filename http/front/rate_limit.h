#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/http/message/reply.h"
#include "base/platform/request_windows.h"
#include "domain/values/environment.h"

namespace pixledger::http {

// Requests a second for one key, by its environment; 0: unlimited.
struct RateLimits {
  std::uint32_t live_per_s = 0;
  std::uint32_t test_per_s = 0;
};

// The outcome for one request. Times are rounded up.
struct RateVerdict {
  bool allowed;
  std::uint32_t per_s;
  std::uint32_t remaining;  // requests that the key could make right now
  std::int64_t wait_s;      // until it may make the next one; 0: now
  std::int64_t full_s;      // until a whole burst is available again
};

// A token bucket a key, filled at the key's rate up to twice that. Thread-safe.
//
// Memory is bounded: after two idle seconds a bucket is full and may be evicted. If more than kKeysMax keys
// call all the time, some start again with a full bucket.
class RateLimiter {
 public:
  static constexpr std::size_t kKeysMax = 65'536;
  static constexpr std::uint32_t kPerSecondMax = 1'000'000;

  explicit RateLimiter(const RateLimits& limits) : limits_(limits) {}

  // Counts one request of a key or user. nullopt: this environment is unlimited. `now_ms`: of a monotonic
  // clock.
  std::optional<RateVerdict> take(const std::string& whose, domain::Environment environment,
                                  std::int64_t now_ms);

  bool limits(domain::Environment environment) const { return per_s(environment) > 0; }
  std::size_t keys_known() const;

 private:
  static constexpr std::size_t kShards = 16;

  struct Bucket {
    std::int64_t thousandths;  // of a request
    std::int64_t as_of_ms;
    std::int64_t per_s;
    std::int64_t level_at(std::int64_t now_ms) const;
    bool is_full_at(std::int64_t now_ms) const;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, Bucket> buckets;
    std::int64_t next_sweep_ms = 0;
  };

  std::uint32_t per_s(domain::Environment environment) const {
    return environment == domain::Environment::kLive ? limits_.live_per_s : limits_.test_per_s;
  }
  static Bucket& bucket_of(Shard& shard, const std::string& key, std::int64_t per_s, std::int64_t now_ms);

  const RateLimits limits_;
  std::array<Shard, kShards> shards_;
};

// RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers-10: `"live";q=10;w=1;burst=20` and
// `"live";r=19;t=1`. burst is an extension parameter, as the draft allows.
std::vector<ReplyHeader> rate_headers(domain::Environment environment, const RateVerdict& verdict);

// Counts failed authentications by address; IPv6 by /56, which is what one customer of a provider has. An
// address may fail failures_max times in the minute that starts with its first failure. Thread-safe; only
// failing requests come here.
class FailedAuthentications {
 public:
  static constexpr std::uint32_t kFailuresMax = 100;
  // For sign-ins.
  static constexpr std::uint32_t kSignInFailuresMax = 30;

  explicit FailedAuthentications(std::uint32_t failures_max = kFailuresMax) : failures_(failures_max) {}

  // Notes a failure. Returns the seconds, rounded up, until the address may fail again if it has failed too
  // often; else nullopt. `now_ms`: of a monotonic clock.
  std::optional<std::int64_t> note(std::string_view address, std::int64_t now_ms) {
    return failures_.note(network_of(address), now_ms);
  }
  // The same without noting a failure.
  std::optional<std::int64_t> wait_of(std::string_view address, std::int64_t now_ms) const {
    return failures_.wait_s(network_of(address), now_ms);
  }

  std::size_t addresses_known() const { return failures_.names_known(); }

 private:
  // IPv4, or the first 56 bits of IPv6; all invalid addresses share one.
  struct Network {
    enum class Kind : std::uint8_t { kNone, kV4, kV6 } kind = Kind::kNone;
    std::uint64_t bits = 0;
    friend bool operator==(const Network&, const Network&) = default;
  };
  struct NetworkHash {
    std::size_t operator()(const Network& network) const;
  };

  static Network network_of(std::string_view address);

  RequestWindows<Network, NetworkHash> failures_;
};

}  // namespace pixledger::http
