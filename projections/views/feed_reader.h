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

// Which events of a project one look finds.
struct FeedPage {
  std::vector<Position> positions;  // ascending
  Position looked_until;            // where the next look goes on
  Position as_of;                   // of the read models
  bool at_end;  // the look went as far as the read models; otherwise more may follow at once
};

struct FeedQuery {
  domain::ProjectId project;
  bool sandbox_only = false;  // only the events of the sandbox
  Position after;
  std::size_t limit = 100;
  std::size_t chunks_max = 2'000;  // how much of the log one look goes through, at most
};

// The first events after a position, at most `limit`. Looks at a bounded part of the log, so that there may
// be none although more follow; then `looked_until` has moved on.
FeedPage read_feed(const ViewDatabase& database, const FeedQuery& query);

// Test keys see the events of the sandbox and no others.
enum class FeedAudience : std::uint8_t { kEveryKey, kLiveKeys };

// Which of 512 neighbouring positions hold events of one project, and who may see them. A batch touches a
// chunk or two of each project in it, so the feed costs next to nothing for an event.
class FeedChunk {
 public:
  static constexpr std::uint64_t kPositions = 512;

  // Which chunk a position is in: 0, 1, 2…
  static std::uint64_t number_of(Position position) { return position.value() / kPositions; }

  // The position must be in this chunk; the caller knows which one it is.
  void add(Position position, FeedAudience audience);
  // The first event of chunk `number` at that position or behind it that a caller may see.
  std::optional<Position> next(std::uint64_t number, Position at_or_after, bool sandbox_only) const;

  // How many events there are that a caller may see.
  std::uint64_t count(bool sandbox_only) const;

  std::string bytes() const;
  // Throws std::runtime_error when they are none.
  static FeedChunk from_bytes(std::string_view bytes);

 private:
  static constexpr std::size_t kWords = kPositions / 64;
  using Bits = std::array<std::uint64_t, kWords>;

  Bits all_{};
  Bits for_sandbox_{};
};

// Keys of the feed: project, number of the chunk.
std::string feed_key(const domain::ProjectId& project, std::uint64_t chunk);
// What the keys of a project begin with.
std::string feed_prefix(const domain::ProjectId& project);

}  // namespace pixledger::projections
