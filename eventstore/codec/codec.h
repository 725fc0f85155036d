#pragma once

#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

// Converts events to stored bytes and back. Only this and events.fbs know the format of stored events.
namespace pixledger::eventstore {

struct EncodedEvent {
  std::string bytes;     // the envelope
  std::string personal;  // empty if the event has no personal data
};

// The log assigns the position, which is not part of the bytes. `salt` is used only for personal data.
EncodedEvent encode(const domain::RecordedEvent& event, Entropy& salt);

// Verifies the bytes, then the meaning of each field, then builds the domain's types. Throws LogCorrupt, or
// WrittenByNewerRelease for unknown content, with the position.
domain::RecordedEvent decode(const StoredEvent& stored);

// What is known of an event without its facts. header_of() throws LogCorrupt.
struct EnvelopeHeader {
  Timestamp recorded_at;
  bool erases;  // it is a CustomerErased
};
EnvelopeHeader header_of(Position position, std::string_view envelope);

// Which version of which stream an event says it is, without its facts. stream_place_of() throws LogCorrupt.
struct StreamPlace {
  StreamName stream;
  std::uint32_t version;
  friend bool operator==(const StreamPlace&, const StreamPlace&) = default;
};
StreamPlace stream_place_of(Position position, std::string_view envelope);

}  // namespace pixledger::eventstore
