#pragma once

#include <cstddef>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/read_ahead.h"

namespace pixledger::eventstore {

// Some of a log's events, in their order.
struct DecodedBatch {
  std::vector<domain::RecordedEvent> events{};  // never empty
  std::size_t stored_bytes = 0;

  std::size_t event_count() const { return events.size(); }
  std::size_t byte_count() const { return stored_bytes; }
};

// The most that one batch holds.
constexpr std::size_t kDecodedEvents = 16'384;
constexpr std::size_t kDecodedBytes = std::size_t{16} << 20;

// Every event after one position up to another, in order, as far as the log goes, read and decoded ahead of
// who takes them: one batch while they work on another. The log outlives it. Throws what decode throws.
ReadAhead<DecodedBatch> read_events_ahead(const Log& log, Position after, Position last);

}  // namespace pixledger::eventstore
