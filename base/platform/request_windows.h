#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace pixledger {

// Limits requests per name and minute; a name's minute starts with its first request. Thread-safe.
//
// Memory is bounded: beyond kNamesMax the name with the oldest minute is evicted.
template <class Name = std::string, class Hash = std::hash<Name>>
class RequestWindows {
 public:
  static constexpr std::int64_t kWindowMs = 60'000;
  static constexpr std::size_t kNamesMax = 65'536;

  explicit RequestWindows(std::uint32_t requests_max) : requests_max_(requests_max) {}

  // The seconds until the name may send again, rounded up, if it reached the limit; else nullopt. Does not
  // count a request. `now_ms` must come from a monotonic clock.
  std::optional<std::int64_t> wait_s(const Name& name, std::int64_t now_ms) const {
    const std::lock_guard lock(mutex_);
    const auto found = windows_.find(name);
    return found == windows_.end() ? std::nullopt : wait_of(found->second, now_ms);
  }
  // Counts a request if the limit allows it; else returns wait_s.
  std::optional<std::int64_t> note(const Name& name, std::int64_t now_ms) {
    const std::lock_guard lock(mutex_);
    while (!in_order_.empty() && now_ms - windows_.at(in_order_.front()).began_ms >= kWindowMs)
      forget_first();
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

  std::size_t names_known() const {
    const std::lock_guard lock(mutex_);
    return windows_.size();
  }

 private:
  struct Window {
    std::int64_t began_ms;
    std::uint32_t requests;
  };

  std::optional<std::int64_t> wait_of(const Window& window, std::int64_t now_ms) const {
    const auto left_ms = window.began_ms + kWindowMs - now_ms;
    if (left_ms <= 0 || window.requests < requests_max_) return std::nullopt;
    return (left_ms + 999) / 1000;
  }
  void forget_first() {
    windows_.erase(in_order_.front());
    in_order_.pop_front();
  }

  const std::uint32_t requests_max_;
  mutable std::mutex mutex_;
  std::unordered_map<Name, Window, Hash> windows_;
  std::deque<Name> in_order_;  // all windows, oldest first
};

}  // namespace pixledger
