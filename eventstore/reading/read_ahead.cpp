#include "eventstore/reading/read_ahead.h"

#include <algorithm>

#include "eventstore/codec/codec.h"

namespace pixledger::eventstore {
namespace {

// Stored bytes are held for this many events at a time.
constexpr std::uint64_t kEventsAtOnce = 256;

// One full batch waits, or is being made.
constexpr AheadLimits kAhead{.events = 1, .bytes = 1};

class EventDecoder {
 public:
  EventDecoder(const Log& log, Position after, Position last) : log_(log), position_(after), last_(last) {}

  std::optional<DecodedBatch> operator()() {
    DecodedBatch batch;
    while (position_ < last_ && batch.events.size() < kDecodedEvents && batch.stored_bytes < kDecodedBytes) {
      const auto wanted = std::min<std::uint64_t>(kEventsAtOnce, kDecodedEvents - batch.events.size());
      const auto stored = log_.read_after(position_, std::min(wanted, last_.value() - position_.value()));
      if (stored.empty()) break;
      for (const auto& event : stored) {
        batch.events.push_back(decode(event));
        batch.stored_bytes += event.bytes.size() + event.personal.size();
      }
      position_ = stored.back().position;
    }
    if (batch.events.empty()) return std::nullopt;
    return batch;
  }

 private:
  const Log& log_;
  Position position_;
  const Position last_;
};

}  // namespace

ReadAhead<DecodedBatch> read_events_ahead(const Log& log, Position after, Position last) {
  return {kAhead, EventDecoder(log, after, last)};
}

}  // namespace pixledger::eventstore
