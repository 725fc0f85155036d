#include "workers/common/refusal_log.h"

namespace pixledger::workers {

void RefusalLog::note(const domain::ChannelId& channel, std::string_view reason, Timestamp now) {
  if (is_due(channel, now))
    logger_.warning("a channel's target is refused; see --allow-target and --allow-http",
                    {{"channel", channel.text()}, {"reason", reason}});
}

bool RefusalLog::is_due(const domain::ChannelId& channel, Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto found = logged_at_.find(channel);
  if (found != logged_at_.end() && now.millis() - found->second.millis() < kPauseMs) return false;
  if (logged_at_.size() >= kChannelsMax) logged_at_.clear();
  logged_at_.insert_or_assign(channel, now);
  return true;
}

}  // namespace pixledger::workers
