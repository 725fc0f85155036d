#include "web/common/limits.h"

#include "base/values/ip_address.h"

namespace pixledger::web {

std::shared_ptr<void> ConcurrencyLimiter::take(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    auto& taken = taken_[name];
    if (taken >= of_name_max_) return nullptr;
    ++taken;
  }
  return {this, [this, name](void*) { give_back(name); }};
}

void ConcurrencyLimiter::give_back(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(name);
  if (--found->second == 0) taken_.erase(found);
}

std::size_t ConcurrencyLimiter::names_known() const {
  const std::lock_guard lock(mutex_);
  return taken_.size();
}

std::optional<std::int64_t> RequestWindows::wait_of(const Window& window, std::int64_t now_ms) const {
  const auto left_ms = window.began_ms + kWindowMs - now_ms;
  if (left_ms <= 0 || window.requests < requests_max_) return std::nullopt;
  return (left_ms + 999) / 1000;
}

void RequestWindows::forget_first() {
  windows_.erase(in_order_.front());
  in_order_.pop_front();
}

std::optional<std::int64_t> RequestWindows::wait_s(const std::string& name, std::int64_t now_ms) const {
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(name);
  return found == windows_.end() ? std::nullopt : wait_of(found->second, now_ms);
}

std::optional<std::int64_t> RequestWindows::note(const std::string& name, std::int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  while (!in_order_.empty() && now_ms - windows_.at(in_order_.front()).began_ms >= kWindowMs) forget_first();
  const auto found = windows_.find(name);
  if (found == windows_.end()) {
    if (windows_.size() >= kNamesMax) forget_first();
    windows_.emplace(name, Window{now_ms, 1});
    in_order_.push_back(name);
    return std::nullopt;
  }
  if (auto wait = wait_of(found->second, now_ms)) return wait;
  ++found->second.requests;
  return std::nullopt;
}

std::size_t RequestWindows::names_known() const {
  const std::lock_guard lock(mutex_);
  return windows_.size();
}

std::string network_of(std::string_view address) {
  const auto parsed = IpAddress::parse(address);
  return parsed ? parsed->customer_network().text() : std::string();
}

}  // namespace pixledger::web
