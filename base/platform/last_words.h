#pragma once

#include <functional>
#include <mutex>
#include <string>

namespace pixledger {

// Reports a reason and ends the process with exit code 3. Thread-safe.
class LastWords {
 public:
  using Tell = std::function<void(const std::string& reason)>;

  // Without `tell` the reason is printed on stderr. If `tell` throws, end() throws that exception instead of
  // ending the process.
  explicit LastWords(Tell tell = {}) : tell_(std::move(tell)) {}

  void tell_to(Tell tell);
  [[noreturn]] void end(const std::string& reason) const;

 private:
  mutable std::mutex mutex_;
  Tell tell_;
};

}  // namespace pixledger
