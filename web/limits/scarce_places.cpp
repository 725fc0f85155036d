#include "web/limits/scarce_places.h"

namespace pixledger::web {

std::shared_ptr<void> ScarcePlaces::take(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    auto& taken = taken_[name];
    if (taken >= of_name_max_) return nullptr;
    ++taken;
  }
  return {this, [this, name](void*) { give_back(name); }};
}

void ScarcePlaces::give_back(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(name);
  if (--found->second == 0) taken_.erase(found);
}

std::size_t ScarcePlaces::names_known() const {
  const std::lock_guard lock(mutex_);
  return taken_.size();
}

}  // namespace pixledger::web
