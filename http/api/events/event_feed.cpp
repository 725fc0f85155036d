#include "base/http/message/header_items.h"
#include "base/text/ascii.h"
#include "eventstore/proof/event_id.h"
#include "http/api/common/event_cursor.h"
#include "http/api/endpoints.h"
#include "http/api/events/feed_waits.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

using eventstore::EventIds;

constexpr std::uint32_t kFeedLimitDefault = 100;
constexpr std::uint32_t kFeedLimitMax = 1000;
constexpr std::uint32_t kWaitMaxS = 30;
constexpr std::string_view kEventStream = "text/event-stream";
constexpr std::string_view kTypesRule =
    "must be names of events, separated by commas, as the items have them";

struct AskedEvents {
  FeedAsked feed;
  std::chrono::seconds wait{0};
  std::optional<Position> resume_after;  // what was named has been cut off
};

// Where no place is named.
enum class Begins { kAtFirst, kAtHead };

void read_after(const Services& services, const Caller& caller, Input& input, Begins begins,
                AskedEvents& asked) {
  auto text = input.parameter("after");
  std::string_view field = "after";
  if (begins == Begins::kAtHead) {
    // Where it went on is known to who lost a stream better than to whoever wrote its address.
    if (const auto last = input.request().headers.find("Last-Event-ID")) {
      text = std::string(*last);
      field = "Last-Event-ID";
    } else if (!text) {
      text = "now";
    }
  }
  if (!text) return;
  if (*text == "now") {
    asked.feed.query.after = caller.arrival.position;
    return;
  }
  const auto place = find_event_place(services, asked.feed.query.project, *text);
  if (!place) {
    input.violations().push_back({std::string(field), std::string(kEventCursorRule)});
  } else if (place->is_cut_off) {
    asked.resume_after = place->position;
  } else {
    asked.feed.query.after = place->position;
  }
}

void read_types(Input& input, AskedEvents& asked) {
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
    asked.feed.types.insert(*known);
    if (name.size() == left.size()) return;
    left.remove_prefix(name.size() + 1);
  }
}

AskedEvents read_asked(const Services& services, const Caller& caller, Input& input, Begins begins) {
  AskedEvents asked{.feed = {.query = {.project = caller.project,
                                       .sandbox_only = caller.sandbox_only(),
                                       .after = {},
                                       .limit = kFeedLimitDefault},
                             .personal = personal_data_for(caller)},
                    .resume_after = {}};
  asked.feed.query.limit =
      static_cast<std::uint32_t>(input.integer("limit", 1, kFeedLimitMax).value_or(kFeedLimitDefault));
  asked.wait = std::chrono::seconds(input.integer("wait", 0, kWaitMaxS).value_or(0));
  read_types(input, asked);
  read_after(services, caller, input, begins, asked);
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

bool wants_stream(const Request& request) {
  const std::string accept = request.headers.joined("Accept");
  std::string_view ranges = accept;
  while (!ranges.empty()) {
    std::string_view range = next_item(ranges, ',');
    if (equal_without_case(next_item(range, ';'), kEventStream)) return weight_of(range) > 0;
  }
  return false;
}

}  // namespace

Answer list_events(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  const EventIds ids(services.keyring, services.log, services.ended_epochs, caller.project);
  const bool streams = wants_stream(request);
  const auto asked = read_asked(services, caller, input, streams ? Begins::kAtHead : Begins::kAtFirst);
  if (!input.finish()) return input.refusal();
  if (asked.resume_after) return cut_off_reply(request, ids, *asked.resume_after);
  return streams ? stream_feed(services, request, asked.feed, ids)
                 : answer_feed(services, request, asked.feed, ids, asked.wait);
}

}  // namespace pixledger::http
