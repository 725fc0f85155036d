#pragma once

#include "tests/support/ledgers/forwarding_log.h"

namespace pixledger::tests {

// Counts the events that are read from another log, which outlives it.
class CountingLog final : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::vector<eventstore::StoredEvent> read_after(eventstore::Position after,
                                                  std::size_t max) const override {
    return counted(inner_.read_after(after, max));
  }
  std::vector<eventstore::StoredEvent> read_stream(const eventstore::StreamName& stream,
                                                   std::uint32_t after_version,
                                                   eventstore::Position up_to) const override {
    return counted(inner_.read_stream(stream, after_version, up_to));
  }

  // Since it was asked last.
  std::size_t take_count() const { return std::exchange(count_, 0); }

 private:
  std::vector<eventstore::StoredEvent> counted(std::vector<eventstore::StoredEvent> events) const {
    count_ += events.size();
    return events;
  }

  mutable std::size_t count_ = 0;
};

}  // namespace pixledger::tests
