#include "http/message/work_budget.h"

#include <algorithm>

namespace pixledger::http {

bool WorkBudget::is_over() const {
  if (!deadline_) return false;
  const auto now = Clock::now();
  if (now >= *deadline_) return true;
  if (!has_gone_ && now - looked_at_ >= kLookEvery) {
    looked_at_ = now;
    has_gone_ = caller_has_gone_();
  }
  return has_gone_;
}

WorkBudget::Clock::time_point WorkBudget::next_look(Clock::time_point until) const {
  if (!deadline_) return until;
  return std::min({until, *deadline_, Clock::now() + kLookEvery});
}

WorkBudget WorkBudget::extended_by(std::chrono::milliseconds more) const {
  WorkBudget longer = *this;
  if (longer.deadline_) *longer.deadline_ += more;
  return longer;
}

}  // namespace pixledger::http
