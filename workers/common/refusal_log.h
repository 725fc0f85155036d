#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

#include "base/process/logging.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"

namespace pixledger::workers {

// Logs that a channel's target is refused, once for each channel and kPauseMs: its deliveries fail until the
// channel or the worker's options change, and only an operator can do that. Thread-safe.
class RefusalLog {
 public:
  static constexpr std::int64_t kPauseMs = 3'600'000;
  static constexpr std::size_t kChannelsMax = 10'000;

  explicit RefusalLog(Logger& logger) : logger_(logger) {}

  void note(const domain::ChannelId& channel, std::string_view reason, Timestamp now);

 private:
  bool is_due(const domain::ChannelId& channel, Timestamp now);

  Logger& logger_;
  std::mutex mutex_;
  std::map<domain::ChannelId, Timestamp> logged_at_;
};

}  // namespace pixledger::workers
