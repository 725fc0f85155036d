#pragma once

#include <atomic>
#include <cstdint>

#include "tests/support/ledgers/forwarding_log.h"

namespace pixledger::tests {

// Counts the events that are read from another log, which outlives it. For any number of threads.
class CountingLog final : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::vector<eventstore::StoredEvent> read_after(eventstore::Position after,
                                                  std::size_t max) const override {
    auto events = inner_.read_after(after, max);
    events_read_ += events.size();
    return events;
  }
  std::vector<eventstore::StoredEvent> read_stream(const eventstore::StreamName& stream,
                                                   std::uint32_t after_version,
                                                   eventstore::Position up_to) const override {
    auto events = inner_.read_stream(stream, after_version, up_to);
    events_read_ += events.size();
    stream_events_read_ += events.size();
    return events;
  }

  // Of both kinds of reading, since it was asked last.
  std::uint64_t take_count() const { return events_read_.exchange(0); }
  std::uint64_t stream_events_read() const { return stream_events_read_; }

 private:
  mutable std::atomic<std::uint64_t> events_read_ = 0;
  mutable std::atomic<std::uint64_t> stream_events_read_ = 0;
};

}  // namespace pixledger::tests
