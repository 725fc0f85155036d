#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string_view>

#include "eventstore/proof/event_id.h"
#include "http/api/events/feed_items.h"
#include "http/services/services.h"
#include "projections/views/feed_reader.h"

namespace pixledger::http {

// Which events a caller asks for: those of its project after a place, of these kinds.
struct FeedAsked {
  projections::FeedQuery query;
  std::set<std::string_view> types{};  // names of kinds; none: all
  PersonalData personal = PersonalData::kShown;
};

// A page is looked for no longer than this: whoever reads shares the processors with others. Of those that
// wait and look again and again each takes a moment.
inline constexpr std::chrono::milliseconds kPageLookMax{1'000};
inline constexpr std::chrono::milliseconds kWaitLookMax{5};

// What one look at the feed came to.
struct FeedLooked {
  std::size_t items = 0;
  Position after;       // where the next look goes on
  Position as_of;       // of the read models
  bool at_end = false;  // there was nothing more in them
};

// Writes the events that are asked for, as far as one page goes, or `look_max`, or until `is_over`, which is
// asked between them.
FeedLooked look_at_feed(const Services& services, const FeedAsked& asked, const eventstore::EventIds& ids,
                        std::chrono::milliseconds look_max, const std::function<bool()>& is_over,
                        const FeedItems::Write& write);

}  // namespace pixledger::http
