#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pixledger::web {

// Limits concurrent holders by name. Stores only names with holders. Outlives the places. Thread-safe.
class ConcurrencyLimiter {
 public:
  explicit ConcurrencyLimiter(std::size_t of_name_max) : of_name_max_(of_name_max) {}

  // Returns a place, held until it is destroyed; null if the name's places are all taken.
  std::shared_ptr<void> take(const std::string& name);

  std::size_t names_known() const;

 private:
  void give_back(const std::string& name);

  const std::size_t of_name_max_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> taken_;  // never 0
};

// The unit by which addresses are limited: the address, or an IPv6 address' /56, which is what one customer
// of a provider has.
std::string network_of(std::string_view address);

}  // namespace pixledger::web
