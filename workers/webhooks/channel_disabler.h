#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

#include "base/process/logging.h"
#include "domain/aggregates/channel.h"
#include "eventstore/executor/executor.h"

namespace pixledger::workers {

// Switches channels off through the write door. Thread-safe; the executor and the logger outlive it.
class ChannelDisabler {
 public:
  ChannelDisabler(eventstore::Executor& executor, Logger& logger) : executor_(executor), logger_(logger) {}
  ~ChannelDisabler();  // waits for what is under way
  ChannelDisabler(const ChannelDisabler&) = delete;
  ChannelDisabler& operator=(const ChannelDisabler&) = delete;

  // The channel as it was when the reason was found. Does not wait. One request a channel at a time: more are
  // ignored meanwhile. One that could not be written is only logged: as long as its cause lasts, the next
  // failure asks again. A checkout session's channel is never disabled: nothing is asked for.
  void disable(const domain::Channel& channel, domain::ChannelDisabledReason reason);

 private:
  void finished(const domain::ChannelId& channel, domain::ChannelDisabledReason reason,
                const eventstore::Result& result);

  eventstore::Executor& executor_;
  Logger& logger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<domain::ChannelId> under_way_;
};

}  // namespace pixledger::workers
