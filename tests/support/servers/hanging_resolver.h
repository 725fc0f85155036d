#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/net/resolver.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

// A resolver that hangs for one host until let_go(), and resolves one other, to 127.0.0.1.
class HangingResolver final : public Resolver {
 public:
  static constexpr const char* kHangs = "hangs.example";

  explicit HangingResolver(std::string answered) : answered_(std::move(answered)) {}

  // The number of queries that hang now.
  int hanging() const {
    const std::lock_guard lock(mutex_);
    return hanging_;
  }

  void let_go() {
    const std::lock_guard lock(mutex_);
    hangs_ = false;
    changed_.notify_all();
  }

  std::vector<IpAddress> resolve(const std::string& host) const override {
    std::unique_lock lock(mutex_);
    if (host == kHangs) {
      ++hanging_;
      changed_.wait(lock, [this] { return !hangs_; });
      --hanging_;
    }
    if (host != answered_) return {};
    return {parsed<IpAddress>("127.0.0.1")};
  }

 private:
  const std::string answered_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool hangs_ = true;
  mutable int hanging_ = 0;
};

}  // namespace pixledger::tests
