#pragma once

#include <cstddef>
#include <vector>

#include "domain/aggregates/event.h"
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

}  // namespace pixledger::projections
