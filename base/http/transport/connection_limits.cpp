#include "base/http/transport/connection_limits.h"

#include <algorithm>

#include "base/values/bit_mixer.h"

namespace pixledger::http {

std::size_t ConnectionCounts::NetworkHash::operator()(const Network& network) const {
  return static_cast<std::size_t>(splitmix64(network.bits, network.is_v4 ? 4U : 6U));
}

ConnectionCounts::Network ConnectionCounts::network_of(const IpAddress& address) {
  const auto inner = address.customer_network();
  Network network{0, inner.is_v4()};
  for (std::size_t i = 0; i < std::min<std::size_t>(inner.size(), 8); ++i)
    network.bits = network.bits << 8 | inner.bytes()[i];
  return network;
}

bool ConnectionCounts::are_same(const std::optional<IpAddress>& one, const std::optional<IpAddress>& other) {
  return one && other && network_of(*one) == network_of(*other);
}

ConnectionCounts::Verdict ConnectionCounts::add(const std::optional<IpAddress>& address, Limits limits) {
  const std::lock_guard lock(mutex_);
  const bool is_kept = limits == Limits::kKept;
  if (is_kept && open() >= max_) return Verdict::kFull;
  if (address && max_per_address_ > 0) {
    auto& count = of_network_[network_of(*address)];
    if (is_kept && count >= max_per_address_) return Verdict::kAddressFull;
    ++count;
  }
  open_.fetch_add(1, std::memory_order_relaxed);
  return Verdict::kAdmitted;
}

void ConnectionCounts::remove(const std::optional<IpAddress>& address) {
  const std::lock_guard lock(mutex_);
  if (open_.fetch_sub(1, std::memory_order_relaxed) == 1) none_.notify_all();
  if (!address || max_per_address_ == 0) return;
  const auto found = of_network_.find(network_of(*address));
  if (--found->second == 0) of_network_.erase(found);
}

void ConnectionCounts::wait_until_none(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  none_.wait_until(lock, deadline, [this] { return open() == 0; });
}

}  // namespace pixledger::http
