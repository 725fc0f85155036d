#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "base/values/position.h"

namespace pixledger::projections {

// Somebody is in the way of an erasure, or has something of it that only a person can decide about.
class ErasureHeldUp : public std::runtime_error {
 public:
  ErasureHeldUp(const std::string& why, std::string what_to_do)
      : std::runtime_error(why), what_to_do_(std::move(what_to_do)) {}
  // For an operator, a clause without a full stop.
  const std::string& what_to_do() const { return what_to_do_; }

 private:
  std::string what_to_do_;
};

// Until `done` is true; false when it takes longer than that.
bool wait_until(std::chrono::milliseconds patience, const std::function<bool()>& done);

// Has what erasures up to a position take away removed from the read models in a directory, by the server
// that has them, or by itself where none runs; the ledger has nothing of it any more. One caller at a time.
// Throws ErasureHeldUp.
void erase_from_views(const std::filesystem::path& views, Position erased,
                      std::chrono::milliseconds patience);

}  // namespace pixledger::projections
