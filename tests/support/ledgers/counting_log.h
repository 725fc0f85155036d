#pragma once

#include <atomic>
#include <cstdint>

#include "tests/support/ledgers/forwarding_log.h"

namespace pixledger::tests {

// A log that counts the events of streams that are read from it.
class CountingLog final : public ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::vector<eventstore::StoredEvent> read_stream(const eventstore::StreamName& stream,
                                                   std::uint32_t after_version,
                                                   eventstore::Position up_to) const override {
    auto events = inner_.read_stream(stream, after_version, up_to);
    stream_events_read_ += events.size();
    return events;
  }
  std::uint64_t stream_events_read() const { return stream_events_read_; }

 private:
  mutable std::atomic<std::uint64_t> stream_events_read_ = 0;
};

}  // namespace pixledger::tests
