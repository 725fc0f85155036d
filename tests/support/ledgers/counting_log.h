#pragma once

#include <atomic>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/ledgers/forwarding_log.h"

namespace pixledger::tests {

// Counts events read from another log, which must outlive it. As thread-safe as that log.
class CountingLog final : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
    return counted(inner_.read_after(after, max));
  }
  eventstore::StreamBatch read_stream(const eventstore::StreamName& stream, std::uint32_t after_version,
                                      Position up_to) const override {
    auto batch = inner_.read_stream(stream, after_version, up_to);
    count_ += batch.events.size();
    return batch;
  }

  Head catch_up() const override {
    ++catch_ups_;
    if (is_away) throw eventstore::LogUnavailable("nobody tells");
    return inner_.catch_up();
  }

  // Answers asynchronously, like a shared log, if `answers_later`.
  std::optional<Head> begin_catch_up(eventstore::TellHead told) const override {
    if (!answers_later) return ForwardingLog::begin_catch_up(std::move(told));
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::async(std::launch::async, [this, told = std::move(told)] {
      if (const auto head = ForwardingLog::begin_catch_up(told)) told({*head, {}});
    }));
    return std::nullopt;
  }

  // Returns the number of events read since the last call.
  std::size_t take_count() const { return count_.exchange(0); }
  std::size_t take_catch_ups() const { return catch_ups_.exchange(0); }

  // While true, catch_up() throws LogUnavailable.
  mutable std::atomic<bool> is_away = false;
  mutable std::atomic<bool> answers_later = false;

 private:
  std::vector<eventstore::StoredEvent> counted(std::vector<eventstore::StoredEvent> events) const {
    count_ += events.size();
    return events;
  }

  mutable std::atomic<std::size_t> count_ = 0;
  mutable std::atomic<std::size_t> catch_ups_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<std::future<void>> answers_;
};

}  // namespace pixledger::tests
