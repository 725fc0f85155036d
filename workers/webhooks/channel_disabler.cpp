#include "workers/webhooks/channel_disabler.h"

namespace pixledger::workers {

ChannelDisabler::~ChannelDisabler() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return under_way_.empty(); });
}

void ChannelDisabler::disable(const domain::Channel& channel, domain::ChannelDisabledReason reason) {
  if (channel.checkout_session) return;
  {
    const std::lock_guard lock(mutex_);
    if (!under_way_.insert(channel.id).second) return;
  }
  const domain::DisableChannel command{channel.id, reason, channel.active_since};
  executor_.submit(
      {.command = command, .actor = "worker-webhooks", .api_key = {}, .request_id = "", .idempotency = {}},
      [this, id = channel.id, reason](const eventstore::Result& result) { finished(id, reason, result); });
}

void ChannelDisabler::finished(const domain::ChannelId& channel, domain::ChannelDisabledReason reason,
                               const eventstore::Result& result) {
  if (const auto* completed = std::get_if<eventstore::Completed>(&result)) {
    if (completed->count > 0)
      logger_.warning("a channel was disabled",
                      {{"channel", channel.text()}, {"reason", domain::to_string(reason)}});
  } else if (const auto fault = fault_of(result); !fault.empty()) {
    logger_.warning("a channel could not be disabled for now",
                    {{"channel", channel.text()}, {"reason", fault}});
  }
  const std::lock_guard lock(mutex_);
  under_way_.erase(channel);
  changed_.notify_all();
}

}  // namespace pixledger::workers
