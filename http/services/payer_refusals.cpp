#include "http/services/payer_refusals.h"

namespace pixledger::http {

void PayerRefusals::note(const domain::CheckoutSessionId& session) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = refusals_.try_emplace(session.text(), 0);
  ++found->second;
  if (!is_new) return;
  in_order_.push_back(session.text());
  if (in_order_.size() <= kSessionsMax) return;
  refusals_.erase(in_order_.front());
  in_order_.pop_front();
}

bool PayerRefusals::too_many(const domain::CheckoutSessionId& session) const {
  const std::lock_guard lock(mutex_);
  const auto found = refusals_.find(session.text());
  return found != refusals_.end() && found->second >= kMax;
}

std::size_t PayerRefusals::sessions_known() const {
  const std::lock_guard lock(mutex_);
  return refusals_.size();
}

}  // namespace pixledger::http
