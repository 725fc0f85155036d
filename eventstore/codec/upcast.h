#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/log/log.h"

// Where old forms of facts become today's; docs/EVENT_FORMAT.md, "Evolution", says when there is a new one.
namespace pixledger::eventstore {

// Facts of one event type, from a schema version to the next. Bytes in, bytes out, both FlatBuffers; what it
// is given has not been verified. Pure.
struct UpcastStep {
  std::uint16_t type;
  std::uint16_t from_version;
  std::function<std::string(std::string_view facts)> upcast;
};

// All steps there are; those of one type are consecutive and begin with version 1.
const std::vector<UpcastStep>& upcast_steps();

// What encode writes as Envelope.schema_version, and the newest that decode reads.
std::uint16_t newest_schema_version(std::uint16_t type,
                                    const std::vector<UpcastStep>& steps = upcast_steps());

// The facts in today's form: as they are, or what the steps make of them in `room`, which must outlive the
// result. Throws LogCorrupt for a version that this release does not know.
std::string_view upcast_facts(Position position, std::uint16_t type, std::uint16_t version,
                              std::string_view facts, std::string& room,
                              const std::vector<UpcastStep>& steps = upcast_steps());

}  // namespace pixledger::eventstore
