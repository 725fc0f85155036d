#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/aggregates/event.h"
#include "domain/values/cuid.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// Positions of a project's events that one read finds.
struct FeedPage {
  std::vector<Position> positions;  // ascending
  Position looked_until;            // start of the next read
  Position as_of;                   // the read models' position
  bool at_end;  // the read reached the read models' position; otherwise more events may follow
};

struct FeedQuery {
  domain::ProjectId project;
  bool sandbox_only = false;  // sandbox events only
  Position after;
  std::size_t limit = 100;
  std::size_t chunks_max = 2'000;  // most chunks of the log that one read scans
};

// Returns at most `limit` events after a position. Scans a bounded part of the log, so the page may be empty
// although more events follow; `looked_until` has advanced then.
FeedPage read_feed(const ViewDatabase& database, const FeedQuery& query);

// Test keys see sandbox events only.
enum class FeedAudience : std::uint8_t { kEveryKey, kLiveKeys };

// Marks which of 512 neighbouring positions hold events of one project, and who may read them. A batch
// changes one or two chunks per project, so the feed adds almost no cost per event.
class FeedChunk {
 public:
  static constexpr std::uint64_t kPositions = 512;

  // The chunk's index of a position: 0, 1, 2…
  static std::uint64_t number_of(Position position) { return position.value() / kPositions; }

  // The position must be in this chunk; the caller tracks the chunk's index.
  void add(Position position, FeedAudience audience);
  // Returns the first event of chunk `number` at or after that position that the caller may see.
  std::optional<Position> next(std::uint64_t number, Position at_or_after, bool sandbox_only) const;

  // Counts the events that a caller may see.
  std::uint64_t count(bool sandbox_only) const;

  std::string bytes() const;
  // Throws std::runtime_error if the bytes are invalid.
  static FeedChunk from_bytes(std::string_view bytes);

 private:
  static constexpr std::size_t kWords = kPositions / 64;
  using Bits = std::array<std::uint64_t, kWords>;

  Bits all_{};
  Bits for_sandbox_{};
};

// Key of the feed: project, chunk index.
std::string feed_key(const domain::ProjectId& project, std::uint64_t chunk);
// Prefix of a project's keys.
std::string feed_prefix(const domain::ProjectId& project);

}  // namespace pixledger::projections
