#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pixledger::web {

// So many places at a time for each name. Knows the names alone that have one. Outlives the places.
// Thread-safe.
class ConcurrencyLimiter {
 public:
  explicit ConcurrencyLimiter(std::size_t of_name_max) : of_name_max_(of_name_max) {}

  // Held for as long as what is returned; null where all of the name are taken.
  std::shared_ptr<void> take(const std::string& name);

  std::size_t names_known() const;

 private:
  void give_back(const std::string& name);

  const std::size_t of_name_max_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> taken_;  // never 0
};

// Counts requests by a name, in the minute that the first of them begins. Thread-safe.
//
// Memory is bounded: beyond kNamesMax the name whose minute began first is forgotten.
class RequestWindows {
 public:
  static constexpr std::int64_t kWindowMs = 60'000;
  static constexpr std::size_t kNamesMax = 65'536;

  explicit RequestWindows(std::uint32_t requests_max) : requests_max_(requests_max) {}

  // The seconds until the name may have more, rounded up, when it has had as many as it may; else nullopt.
  // Counts nothing. `now_ms`: of a clock that is never set.
  std::optional<std::int64_t> wait_s(const std::string& name, std::int64_t now_ms) const;
  // Counts one, if there may be one more; else as wait_s.
  std::optional<std::int64_t> note(const std::string& name, std::int64_t now_ms);

  std::size_t names_known() const;

 private:
  struct Window {
    std::int64_t began_ms;
    std::uint32_t requests;
  };
  std::optional<std::int64_t> wait_of(const Window& window, std::int64_t now_ms) const;
  void forget_first();

  const std::uint32_t requests_max_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Window> windows_;
  std::deque<std::string> in_order_;  // of all windows, the one that began first in front
};

// What an address is counted by: itself, or of IPv6 its network of 56 bits, which is what one customer of a
// provider has.
std::string network_of(std::string_view address);

}  // namespace pixledger::web
