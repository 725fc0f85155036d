#pragma once

#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

// Events to stored bytes and back; with events.fbs the only place that knows the form of stored events.
namespace pixledger::eventstore {

struct EncodedEvent {
  std::string bytes;     // the envelope
  std::string personal;  // empty when the event has no personal data
};

// The position is not part of the bytes: the log gives it. `salt` is drawn only when there is personal data.
EncodedEvent encode(const domain::RecordedEvent& event, Entropy& salt);

// Verifies the bytes, then the meaning of each field, then builds the domain's types. Throws LogCorrupt, or
// WrittenByNewerRelease for what this one does not know, that names the position.
domain::RecordedEvent decode(const StoredEvent& stored);

// What can be told of an event without its facts. Throws LogCorrupt.
struct EnvelopeHeader {
  Timestamp recorded_at;
  bool erases;  // it is a CustomerErased
};
EnvelopeHeader header_of(Position position, std::string_view envelope);

}  // namespace pixledger::eventstore
