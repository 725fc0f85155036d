#include "web/common/limits.h"

#include "base/values/ip_address.h"

namespace pixledger::web {

std::shared_ptr<void> ConcurrencyLimiter::take(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    auto& taken = taken_[name];
    if (taken >= of_name_max_) return nullptr;
    ++taken;
  }
  return {this, [this, name](void*) { give_back(name); }};
}

void ConcurrencyLimiter::give_back(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(name);
  if (--found->second == 0) taken_.erase(found);
}

std::size_t ConcurrencyLimiter::names_known() const {
  const std::lock_guard lock(mutex_);
  return taken_.size();
}

std::string network_of(std::string_view address) {
  const auto parsed = IpAddress::parse(address);
  return parsed ? parsed->customer_network().text() : std::string();
}

}  // namespace pixledger::web
