#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace pixledger::web {

// Whose sign-ins were asked with lately, as the API's answers have said, so that all sign-ins of a user count
// together. Thread-safe.
//
// Memory is bounded: it begins anew with kMost.
class SignedInUsers {
 public:
  static constexpr std::size_t kMost = 16'384;

  std::optional<std::string> find(const std::string& sign_in) const {
    const std::lock_guard lock(mutex_);
    const auto found = users_.find(sign_in);
    return found == users_.end() ? std::nullopt : std::optional(found->second);
  }

  void keep(const std::string& sign_in, std::string user) {
    const std::lock_guard lock(mutex_);
    if (users_.size() >= kMost) users_.clear();
    users_.insert_or_assign(sign_in, std::move(user));
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> users_;
};

}  // namespace pixledger::web
