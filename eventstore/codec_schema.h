#pragma once

#include <cstddef>
#include <cstdint>

namespace pixledger::eventstore {

/// What encode writes as Envelope.schema_version, and the newest that decode reads.
constexpr std::uint16_t kSchemaVersion = 1;

constexpr std::size_t kSaltBytes = 16;

}  // namespace pixledger::eventstore
