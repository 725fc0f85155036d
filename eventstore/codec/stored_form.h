#pragma once

#include <cstddef>
#include <cstdint>

namespace pixledger::eventstore {

constexpr std::size_t kSaltBytes = 16;

// Envelope.schema_version of every event so far.
constexpr std::uint16_t kSchemaVersion = 1;

}  // namespace pixledger::eventstore
