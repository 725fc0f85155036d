#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

#include "domain/values/cuid.h"
#include "domain/values/timestamp.h"
#include "eventstore/process/logging.h"

namespace pixledger::workers {

// Logs that a channel's target is refused, once for each channel and kPauseMs: its deliveries fail until the
// channel or the worker's options change, and only an operator can do that. Thread-safe.
class RefusalLog {
 public:
  static constexpr std::int64_t kPauseMs = 3'600'000;
  static constexpr std::size_t kChannelsMax = 10'000;

  explicit RefusalLog(eventstore::Logger& logger) : logger_(logger) {}

  void note(const domain::ChannelId& channel, std::string_view reason, domain::Timestamp now);

 private:
  bool is_due(const domain::ChannelId& channel, domain::Timestamp now);

  eventstore::Logger& logger_;
  std::mutex mutex_;
  std::map<domain::ChannelId, domain::Timestamp> logged_at_;
};

}  // namespace pixledger::workers
