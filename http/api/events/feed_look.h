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

// The limits of one page of the feed.
struct FeedBounds {
  std::size_t items_max = 100;
  std::size_t bytes_max = 2 * 1024 * 1024;  // as stored; the last item may exceed it
  // Called before every event but the first; false ends the page, even an empty one.
  std::function<bool()> may_go_on = [] { return true; };
};

// The name for the parameter `types`, as a literal; nullopt if no event has it.
std::optional<std::string_view> find_feed_name(std::string_view name);

// Writes an item as a JSON object.
void write_item(Json& json, const std::string& id, PageStates& states, const domain::RecordedEvent& event,
                PersonalData personal);

// The items of one page, as a JSON array. Events are read, folded and written one by one, so the page can end
// before any of them. For one thread; the arguments outlive it.
class FeedItems {
 public:
  // No types: all.
  FeedItems(const eventstore::Log& log, eventstore::StreamCustomers& customers,
            const eventstore::EventIds& ids, std::set<std::string_view> types, FeedBounds bounds);

  // Writes one item.
  using Write =
      std::function<void(const std::string& id, PageStates& states, const domain::RecordedEvent& event)>;

  // Writes the wanted events at these positions, which ascend and follow those of earlier calls. Returns how
  // many were read: fewer if the page ended.
  std::size_t add(const std::vector<Position>& positions, const Write& write);

  std::size_t count() const { return count_; }
  // Whether the page has ended: it is full, or has read something and may not go on.
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

// The events that a caller asks for: their project's after a position, of these kinds.
struct FeedAsked {
  projections::FeedQuery query;
  std::set<std::string_view> types{};  // names of kinds; empty: all
  PersonalData personal = PersonalData::kShown;
};

// The limits of one look: readers share the processors with others. Looks of waiting requests are many and
// short.
inline constexpr std::chrono::milliseconds kPageLookMax{1'000};
inline constexpr std::chrono::milliseconds kWaitLookMax{5};

// The result of one look at the feed.
struct FeedLooked {
  std::size_t items = 0;
  Position after;       // where the next look continues
  Position as_of;       // of the read models
  bool at_end = false;  // no more events in the read models
};

// Writes the requested events until the page is full, `look_max` is over, or `is_over`, checked between
// events, returns true.
FeedLooked look_at_feed(const Services& services, const FeedAsked& asked, const eventstore::EventIds& ids,
                        std::chrono::milliseconds look_max, const std::function<bool()>& is_over,
                        const FeedItems::Write& write);

}  // namespace pixledger::http
