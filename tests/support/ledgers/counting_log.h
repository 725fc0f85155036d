#pragma once

#include <atomic>

#include "tests/support/ledgers/forwarding_log.h"

namespace pixledger::tests {

// Counts the events that are read from another log, which outlives it. Thread-safe as that is.
class CountingLog final : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::vector<eventstore::StoredEvent> read_after(eventstore::Position after,
                                                  std::size_t max) const override {
    return counted(inner_.read_after(after, max));
  }
  eventstore::StreamBatch read_stream(const eventstore::StreamName& stream, std::uint32_t after_version,
                                      eventstore::Position up_to) const override {
    auto batch = inner_.read_stream(stream, after_version, up_to);
    count_ += batch.events.size();
    return batch;
  }

  // Since it was asked last.
  std::size_t take_count() const { return count_.exchange(0); }

 private:
  std::vector<eventstore::StoredEvent> counted(std::vector<eventstore::StoredEvent> events) const {
    count_ += events.size();
    return events;
  }

  mutable std::atomic<std::size_t> count_ = 0;
};

}  // namespace pixledger::tests
