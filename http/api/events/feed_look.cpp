#include "http/api/events/feed_look.h"

#include "projections/generations/current_views.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kLookedAtMax = 1000;  // at a time, where only some kinds are wanted

}  // namespace

FeedLooked look_at_feed(const Services& services, const FeedAsked& asked, const eventstore::EventIds& ids,
                        std::chrono::milliseconds look_max, const std::function<bool()>& is_over,
                        const FeedItems::Write& write) {
  using Clock = std::chrono::steady_clock;
  const auto look_until = Clock::now() + look_max;
  auto query = asked.query;
  FeedItems items(
      services.log, services.customers, ids, asked.types,
      {.items_max = query.limit, .may_go_on = [&] { return Clock::now() < look_until && !is_over(); }});
  if (!asked.types.empty()) query.limit = kLookedAtMax;
  FeedLooked looked;
  do {
    const auto found = projections::read_feed(*services.views.database(), query);
    const auto looked_at = items.add(found.positions, write);
    looked.at_end = found.at_end && looked_at == found.positions.size();
    looked.as_of = found.as_of;
    if (looked_at == found.positions.size())
      query.after = found.looked_until;
    else if (looked_at > 0)
      query.after = found.positions[looked_at - 1];
  } while (!looked.at_end && !items.have_ended());
  looked.items = items.count();
  looked.after = query.after;
  return looked;
}

}  // namespace pixledger::http
