#pragma once

#include <functional>
#include <mutex>
#include <string>

namespace pixledger::eventstore {

// Ends the process with exit code 3 and says why. Thread-safe.
class LastWords {
 public:
  using Tell = std::function<void(const std::string& reason)>;

  // Without `tell` stderr has the reason. One that throws leaves the process to whoever catches that.
  explicit LastWords(Tell tell = {}) : tell_(std::move(tell)) {}

  void tell_to(Tell tell);
  [[noreturn]] void end(const std::string& reason) const;

 private:
  mutable std::mutex mutex_;
  Tell tell_;
};

}  // namespace pixledger::eventstore
