#include "web/limits/fair_shares.h"

#include <algorithm>

namespace pixledger::web {

FairShares::Taken FairShares::take(std::uint64_t id, const Holder& holder) {
  const auto user = of_user_.find(holder.user);
  if (user != of_user_.end() && user->second >= limits_.of_user) return {};
  const auto project = of_project_.find(holder.project);
  const auto of_project = project == of_project_.end() ? 0 : project->second.size();
  if (of_project >= limits_.of_project) return {};
  Taken taken{true};
  if (holders_.size() >= limits_.most) {
    taken.yields = oldest_of_largest(of_project);
    if (!taken.yields) return {};
    give_back(*taken.yields);
  }
  holders_.emplace(id, holder);
  of_project_[holder.project].insert(id);
  ++of_user_[holder.user];
  return taken;
}

// nullopt where no project has more than that.
std::optional<std::uint64_t> FairShares::oldest_of_largest(std::size_t than) const {
  const auto largest = std::max_element(
      of_project_.begin(), of_project_.end(),
      [](const auto& left, const auto& right) { return left.second.size() < right.second.size(); });
  if (largest == of_project_.end() || largest->second.size() <= than) return std::nullopt;
  return *largest->second.begin();
}

void FairShares::give_back(std::uint64_t id) {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return;
  const auto project = of_project_.find(found->second.project);
  project->second.erase(id);
  if (project->second.empty()) of_project_.erase(project);
  const auto user = of_user_.find(found->second.user);
  if (--user->second == 0) of_user_.erase(user);
  holders_.erase(found);
}

}  // namespace pixledger::web
