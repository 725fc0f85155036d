#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/sha256.h"
#include "domain/aggregates/event.h"
#include "eventstore/lmdb/lmdb_options.h"

namespace pixledger::projections {

constexpr std::string_view kCursorKey = "cursor";  // in the table "meta"

// How far the read models have come; the generation's marker says in which log.
struct ViewCursor {
  Position position;
  Digest leaf_hash{};  // of the event at that position; zeros before the first
};

std::string encode_cursor(const ViewCursor& cursor);
// Throws std::runtime_error when the bytes are none.
ViewCursor decode_cursor(std::string_view bytes);

// That of read models of any set version, which somebody else may own; of those that have none yet, the
// beginning. Nothing is changed. Throws ViewsDamaged, and what the system refuses.
ViewCursor peek_cursor(const std::filesystem::path& directory, eventstore::LmdbOptions options);

}  // namespace pixledger::projections
