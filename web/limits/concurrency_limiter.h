#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
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

}  // namespace pixledger::web
