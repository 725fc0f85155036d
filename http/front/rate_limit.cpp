#include "http/front/rate_limit.h"

#include <algorithm>
#include <functional>

#include "base/values/bit_mixer.h"
#include "base/values/ip_address.h"

namespace pixledger::http {
namespace {

constexpr std::int64_t kRequest = 1000;  // in thousandths: the refill of one second at a rate of one a second
constexpr std::int64_t kBurstSeconds = 2;
constexpr std::int64_t kSweepEveryMs = 1000;

constexpr std::int64_t divide_up(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

// In seconds, rounded up, at `per_s` requests a second.
constexpr std::int64_t seconds_to_fill(std::int64_t thousandths, std::int64_t per_s) {
  return divide_up(std::max<std::int64_t>(thousandths, 0), per_s * kRequest);
}

}  // namespace

std::int64_t RateLimiter::Bucket::level_at(std::int64_t now_ms) const {
  const auto capacity = per_s * kBurstSeconds * kRequest;
  // After that long the bucket is full anyway, and the product cannot overflow. Times may come out of order,
  // since threads race.
  const auto elapsed_ms = std::clamp<std::int64_t>(now_ms - as_of_ms, 0, kBurstSeconds * 1000);
  return std::min(capacity, thousandths + elapsed_ms * per_s);
}

bool RateLimiter::Bucket::is_full_at(std::int64_t now_ms) const {
  return level_at(now_ms) == per_s * kBurstSeconds * kRequest;
}

RateLimiter::Bucket& RateLimiter::bucket_of(Shard& shard, const std::string& key, std::int64_t per_s,
                                            std::int64_t now_ms) {
  const auto found = shard.buckets.find(key);
  if (found != shard.buckets.end()) return found->second;
  if (shard.buckets.size() >= kKeysMax / kShards) {
    if (now_ms >= shard.next_sweep_ms) {
      shard.next_sweep_ms = now_ms + kSweepEveryMs;
      std::erase_if(shard.buckets, [now_ms](const auto& entry) { return entry.second.is_full_at(now_ms); });
    }
    if (shard.buckets.size() >= kKeysMax / kShards) shard.buckets.erase(shard.buckets.begin());
  }
  const Bucket full{per_s * kBurstSeconds * kRequest, now_ms, per_s};
  return shard.buckets.emplace(key, full).first->second;
}

std::optional<RateVerdict> RateLimiter::take(const std::string& whose, domain::Environment environment,
                                             std::int64_t now_ms) {
  const auto rate = per_s(environment);
  if (rate == 0) return std::nullopt;

  auto& shard = shards_[std::hash<std::string>{}(whose) % kShards];
  const std::lock_guard lock(shard.mutex);
  auto& bucket = bucket_of(shard, whose, rate, now_ms);
  bucket.thousandths = bucket.level_at(now_ms);
  bucket.as_of_ms = std::max(bucket.as_of_ms, now_ms);
  const bool allowed = bucket.thousandths >= kRequest;
  if (allowed) bucket.thousandths -= kRequest;
  const auto missing = kBurstSeconds * rate * kRequest - bucket.thousandths;
  return RateVerdict{.allowed = allowed,
                     .per_s = rate,
                     .remaining = static_cast<std::uint32_t>(bucket.thousandths / kRequest),
                     .wait_s = allowed ? 0 : seconds_to_fill(kRequest - bucket.thousandths, rate),
                     .full_s = seconds_to_fill(missing, rate)};
}

std::size_t RateLimiter::keys_known() const {
  std::size_t count = 0;
  for (const auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    count += shard.buckets.size();
  }
  return count;
}

std::vector<ReplyHeader> rate_headers(domain::Environment environment, const RateVerdict& verdict) {
  const std::string policy = environment == domain::Environment::kLive ? "\"live\"" : "\"test\"";
  const auto burst = kBurstSeconds * std::int64_t{verdict.per_s};
  return {
      {"RateLimit-Policy",
       policy + ";q=" + std::to_string(verdict.per_s) + ";w=1;burst=" + std::to_string(burst)},
      {"RateLimit",
       policy + ";r=" + std::to_string(verdict.remaining) + ";t=" + std::to_string(verdict.full_s)},
  };
}

std::size_t FailedAuthentications::NetworkHash::operator()(const Network& network) const {
  return static_cast<std::size_t>(splitmix64(network.bits, static_cast<std::uint64_t>(network.kind)));
}

FailedAuthentications::Network FailedAuthentications::network_of(std::string_view address) {
  const auto parsed = IpAddress::parse(address);
  if (!parsed) return {};
  const auto inner = parsed->customer_network();
  Network network;
  network.kind = inner.is_v4() ? Network::Kind::kV4 : Network::Kind::kV6;
  for (std::size_t i = 0; i < std::min<std::size_t>(inner.size(), 8); ++i)
    network.bits = network.bits << 8 | inner.bytes()[i];
  return network;
}

}  // namespace pixledger::http
