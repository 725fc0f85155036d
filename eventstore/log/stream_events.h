#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Iterates once over a stream's events with versions above `after_version` and positions not above `up_to`,
// in order: for (const auto& stored : StreamEvents(log, stream)). Reads batch by batch: no snapshot stays
// open between them, and memory holds one batch. An event is valid until the next step. Throws what the log
// throws. The log must outlive it.
class StreamEvents {
 public:
  StreamEvents(const Log& log, StreamName stream, std::uint32_t after_version = 0, Position up_to = kNoLimit)
      : log_(log), stream_(std::move(stream)), version_(after_version), up_to_(up_to) {}

  class Iterator {
   public:
    using value_type = StoredEvent;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(StreamEvents& events) : events_(&events) {}

    const StoredEvent& operator*() const { return events_->batch_.events[events_->next_]; }
    Iterator& operator++() {
      events_->step();
      return *this;
    }
    void operator++(int) { events_->step(); }
    bool operator==(std::default_sentinel_t) const { return events_->next_ == events_->batch_.events.size(); }

   private:
    StreamEvents* events_;
  };

  Iterator begin() {
    read();
    return Iterator(*this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  void read() {
    batch_ = log_.read_stream(stream_, version_, up_to_);
    version_ += static_cast<std::uint32_t>(batch_.events.size());
    next_ = 0;
  }
  void step() {
    if (++next_ == batch_.events.size() && batch_.more) read();
  }

  const Log& log_;
  const StreamName stream_;
  std::uint32_t version_;  // of the last event that was read
  const Position up_to_;
  StreamBatch batch_;
  std::size_t next_ = 0;  // in the batch
};

}  // namespace pixledger::eventstore
