#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/platform/json.h"
#include "eventstore/proof/event_id.h"
#include "http/api/common/personal_json.h"
#include "http/api/events/event_json.h"
#include "http/services/services.h"
#include "projections/views/feed_reader.h"

namespace pixledger::http {

// What one page of the feed holds at most, and when it ends without that.
struct FeedBounds {
  std::size_t items_max = 100;
  std::size_t bytes_max = 2 * 1024 * 1024;  // as the ledger stores them; the last item may go beyond it
  // Asked in front of every event but the first; where it says no the page ends, empty or not.
  std::function<bool()> may_go_on = [] { return true; };
};

// The name that `types` may ask for so, as a literal; nullopt when no event has it.
std::optional<std::string_view> find_feed_name(std::string_view name);

// An item as an object, wherever a value may stand.
void write_item(Json& json, const std::string& id, PageStates& states, const domain::RecordedEvent& event,
                PersonalData personal);

// The items of one page, as an array of JSON. Events are read, folded and written one after the other, so
// that the page can end in front of any of them. Used by one thread; what it is given outlives it.
class FeedItems {
 public:
  // No types: all of them.
  FeedItems(const eventstore::Log& log, eventstore::StreamCustomers& customers,
            const eventstore::EventIds& ids, std::set<std::string_view> types, FeedBounds bounds);

  // Writes one item.
  using Write =
      std::function<void(const std::string& id, PageStates& states, const domain::RecordedEvent& event)>;

  // Writes what is wanted of the events at these positions, which ascend and come after those of earlier
  // calls. Returns how many were looked at: fewer than there are when the page ends.
  std::size_t add(const std::vector<Position>& positions, const Write& write);

  std::size_t count() const { return count_; }
  // Whether nothing more is wanted: the page is full, or has looked at something and may not go on.
  bool have_ended() const;

 private:
  void add(const eventstore::StoredEvent& stored, const Write& write);

  const eventstore::Log& log_;
  const eventstore::EventIds& ids_;
  const std::set<std::string_view> types_;
  const FeedBounds bounds_;
  PageStates states_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  bool has_looked_ = false;
};

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
