#include "http/front/failed_authentications.h"

#include <algorithm>

#include "base/values/bit_mixer.h"
#include "base/values/ip_address.h"

namespace pixledger::http {

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

void FailedAuthentications::forget_first() {
  windows_.erase(in_order_.front());
  in_order_.pop_front();
}

std::optional<std::int64_t> FailedAuthentications::note(std::string_view address, std::int64_t now_ms) {
  const auto network = network_of(address);
  const std::lock_guard lock(mutex_);
  while (!in_order_.empty() && now_ms - windows_.at(in_order_.front()).began_ms >= kWindowMs) forget_first();

  const auto found = windows_.find(network);
  if (found == windows_.end()) {
    if (windows_.size() >= kAddressesMax) forget_first();
    windows_.emplace(network, Window{now_ms, 1});
    in_order_.push_back(network);
    return std::nullopt;
  }
  auto& window = found->second;
  if (const auto wait_s = wait_in(window, now_ms)) return wait_s;
  ++window.failures;
  return std::nullopt;
}

std::optional<std::int64_t> FailedAuthentications::wait_in(const Window& window, std::int64_t now_ms) const {
  const auto left_ms = window.began_ms + kWindowMs - now_ms;
  if (window.failures < failures_max_ || left_ms <= 0) return std::nullopt;
  return (left_ms + 999) / 1000;
}

std::optional<std::int64_t> FailedAuthentications::wait_of(std::string_view address,
                                                           std::int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(network_of(address));
  return found == windows_.end() ? std::nullopt : wait_in(found->second, now_ms);
}

std::size_t FailedAuthentications::addresses_known() const {
  const std::lock_guard lock(mutex_);
  return windows_.size();
}

}  // namespace pixledger::http
