#include "http/api/events/event_feed.h"

#include "eventstore/proof/event_id.h"
#include "http/api/common/event_cursor.h"
#include "http/api/common/fresh_views.h"
#include "http/api/events/feed_items.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/long_polls.h"
#include "projections/generations/current_views.h"
#include "projections/views/feed_reader.h"

namespace pixledger::http {
namespace {

using Clock = LongPolls::Clock;
using domain::Position;
using eventstore::EventIds;
using projections::FeedQuery;

constexpr std::uint32_t kLimitDefault = 100;
constexpr std::uint32_t kLimitMax = 1000;
constexpr std::uint32_t kWaitMaxS = 30;
// A page is looked for no longer than this, waiting apart: whoever reads shares the processors with others.
constexpr std::chrono::seconds kLookMax{1};
constexpr std::string_view kTypesRule =
    "must be names of events, separated by commas, as the items have them";

struct Asked {
  FeedQuery feed;
  std::set<std::string_view> types;  // names of kinds
  std::chrono::seconds wait{0};
  std::optional<Position> resume_after;  // what was named has been cut off
};

void read_after(const Services& services, const Caller& caller, Input& input, Asked& asked) {
  const auto text = input.parameter("after");
  if (!text) return;
  if (*text == "now") {
    asked.feed.after = caller.arrival.position;
    return;
  }
  const auto place = find_event_place(services, asked.feed.project, *text);
  if (!place) {
    input.violations().push_back({"after", std::string(kEventCursorRule)});
  } else if (place->is_cut_off) {
    asked.resume_after = place->position;
  } else {
    asked.feed.after = place->position;
  }
}

void read_types(Input& input, Asked& asked) {
  const auto text = input.parameter("types");
  if (!text) return;
  std::string_view left = *text;
  while (true) {
    const auto name = left.substr(0, left.find(','));
    const auto known = find_feed_name(name);
    if (!known) {
      input.violations().push_back({"types", std::string(kTypesRule)});
      return;
    }
    asked.types.insert(*known);
    if (name.size() == left.size()) return;
    left.remove_prefix(name.size() + 1);
  }
}

Asked read_asked(const Services& services, const Caller& caller, Input& input) {
  Asked asked{.feed = {.project = caller.project,
                       .sandbox_only = caller.sandbox_only(),
                       .after = {},
                       .limit = kLimitDefault},
              .types = {},
              .resume_after = {}};
  asked.feed.limit = static_cast<std::uint32_t>(input.integer("limit", 1, kLimitMax).value_or(kLimitDefault));
  asked.wait = std::chrono::seconds(input.integer("wait", 0, kWaitMaxS).value_or(0));
  read_types(input, asked);
  read_after(services, caller, input, asked);
  return asked;
}

Reply cut_off_reply(const Request& request, const EventIds& ids, Position resume_after) {
  return error_reply(
      request, {.status = 409,
                .code = "ERR_CURSOR_001",
                .message = "The ledger was restored, and what came after this cursor was cut off.",
                .details = {{.field = "after",
                             .reason = "names an event that is no longer there: go on after resumeAfter, "
                                       "and expect events that you have seen, with the same ids",
                             .resume_after = ids.of(resume_after)}}});
}

// One page while it is made: the answer but for its end.
class Page {
 public:
  Page(const Services& services, const Asked& asked, const EventIds& ids, const WorkBudget& budget)
      : services_(services),
        feed_(asked.feed),
        items_(services.log, services.customers, ids, asked.types,
               {.items_max = asked.feed.limit,
                .may_go_on = [this, &budget] { return Clock::now() < look_until_ && !budget.is_over(); }}) {
    if (!asked.types.empty()) feed_.limit = kLimitMax;  // of what is looked at
    json_.begin_object().field("success", true).key("data").begin_array();
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  // Adds what there is. Goes on where it was left.
  void look() {
    look_until_ = Clock::now() + kLookMax;
    do {
      const auto found = projections::read_feed(*services_.views.database(), feed_);
      const auto looked_at = items_.add(json_, found.positions);
      is_at_end_ = found.at_end && looked_at == found.positions.size();
      as_of_ = found.as_of;
      if (looked_at == found.positions.size())
        feed_.after = found.looked_until;
      else if (looked_at > 0)
        feed_.after = found.positions[looked_at - 1];
    } while (!is_at_end_ && !items_.have_ended());
  }

  bool is_empty() const { return items_.count() == 0; }
  bool is_at_end() const { return is_at_end_; }
  Position as_of() const { return as_of_; }  // of the read models, when it looked last

  Reply finish(const EventIds& ids) {
    json_.end_array().key("meta").begin_object();
    json_.field("next", ids.of(feed_.after));
    json_.end_object().end_object();
    return {200, json_.take()};
  }

 private:
  const Services& services_;
  FeedQuery feed_;
  eventstore::Json json_;
  FeedItems items_;
  Clock::time_point look_until_{};
  Position as_of_;
  bool is_at_end_ = false;
};

// Looks again whenever the views have gone on, until there is something, the time is over or the caller has
// gone. False when too many wait.
bool wait_for_items(const Services& services, const Caller& caller, std::chrono::seconds wait,
                    const WorkBudget& budget, Page& page) {
  const auto deadline = Clock::now() + wait;
  const auto waiter = services.long_polls.enter(caller.project, caller.key, caller.environment);
  if (!waiter) return false;
  while (page.is_empty() && !budget.is_over()) {
    if (page.is_at_end() && !waiter->wait_applied(page.as_of().next(), deadline, budget)) break;
    if (Clock::now() >= deadline) break;
    page.look();
  }
  return true;
}

}  // namespace

Reply list_events(const Services& services, const Request& request) {
  Input input(request);
  const EventIds ids(services.keyring, services.log, services.ended_epochs, request.caller->project);
  const auto asked = read_asked(services, *request.caller, input);
  if (!input.finish()) return input.refusal();
  if (asked.resume_after) return cut_off_reply(request, ids, *asked.resume_after);
  if (!views_are_fresh(services, *request.caller)) return views_behind_reply(request);
  const auto budget = request.budget.extended_by(asked.wait);
  Page page(services, asked, ids, budget);
  page.look();
  if (page.is_empty() && asked.wait.count() > 0) {
    if (!wait_for_items(services, *request.caller, asked.wait, budget, page))
      return transport_error_reply(request, 503,
                                   "Too many requests wait for events. Try again, or without wait.");
    if (auto refused = refuse_ended_key(services.log, services.states, services.clock, request))
      return *std::move(refused);
  }
  return page.finish(ids);
}

}  // namespace pixledger::http
