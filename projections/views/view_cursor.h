#pragma once

#include <string>
#include <string_view>

#include "domain/aggregates/event.h"
#include "eventstore/platform/sha256.h"

namespace pixledger::projections {

// How far the read models have come; the generation's marker says in which log.
struct ViewCursor {
  domain::Position position;
  eventstore::Digest leaf_hash{};  // of the event at that position; zeros before the first
};

std::string encode_cursor(const ViewCursor& cursor);
// Throws std::runtime_error when the bytes are none.
ViewCursor decode_cursor(std::string_view bytes);

}  // namespace pixledger::projections
