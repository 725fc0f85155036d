#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
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

// What an address is counted by: itself, or of IPv6 its network of 56 bits, which is what one customer of a
// provider has.
std::string network_of(std::string_view address);

}  // namespace pixledger::web
