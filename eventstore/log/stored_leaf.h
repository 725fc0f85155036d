#pragma once

#include <string_view>

#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// The event of a leaf: its envelope, then the digest of its personal bytes, which are added here. Throws
// LogCorrupt when it is too short to be one.
StoredEvent to_stored_event(Position position, std::string_view leaf, std::string_view personal = {});

}  // namespace pixledger::eventstore
