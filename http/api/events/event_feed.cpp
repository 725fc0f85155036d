#include "http/api/events/event_feed.h"

#include <charconv>

#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "http/api/common/event_cursor.h"
#include "http/api/common/fresh_views.h"
#include "http/api/events/event_json.h"
#include "http/front/caller.h"
#include "http/json/error_reply.h"
#include "http/routing/query.h"
#include "http/services/long_polls.h"
#include "projections/generations/current_views.h"
#include "projections/views/feed_reader.h"

namespace pixledger::http {
namespace {

using domain::Position;
using domain::RecordedEvent;
using projections::FeedPage;
using projections::FeedQuery;

constexpr std::uint32_t kLimitDefault = 100;
constexpr std::uint32_t kLimitMax = 1000;
constexpr std::uint32_t kWaitMaxS = 30;

struct Asked {
  FeedQuery feed;
  std::chrono::seconds wait{0};
};

std::uint32_t read_number(const Query& query, std::string_view name, std::uint32_t min, std::uint32_t max,
                          std::uint32_t otherwise, Violations& violations) {
  const auto text = query.value(name, violations);
  if (!text) return otherwise;
  std::uint32_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc() && stop == end && number >= min && number <= max) return number;
  violations.push_back(
      {std::string(name), "must be an integer from " + std::to_string(min) + " to " + std::to_string(max)});
  return otherwise;
}

Asked read_asked(const Services& services, const Request& request, Violations& violations) {
  const Query query(request.query);
  const auto& caller = *request.caller;
  Asked asked{.feed = {.project = caller.project,
                       .sandbox_only = caller.sandbox_only,
                       .after = {},
                       .limit = kLimitDefault}};
  asked.feed.limit = read_number(query, "limit", 1, kLimitMax, kLimitDefault, violations);
  asked.wait = std::chrono::seconds(read_number(query, "wait", 0, kWaitMaxS, 0, violations));
  if (const auto after = query.value("after", violations)) {
    const auto position = parse_event_cursor(services.log, caller.project, *after);
    if (position) {
      asked.feed.after = *position;
    } else {
      violations.push_back({"after", std::string(kEventCursorRule)});
    }
  }
  return asked;
}

// The events at these ascending positions. Neighbours are read together.
std::vector<RecordedEvent> read_events(const eventstore::Log& log, const std::vector<Position>& positions) {
  std::vector<RecordedEvent> events;
  while (events.size() < positions.size()) {
    const auto first = positions[events.size()];
    std::size_t run = 1;
    while (events.size() + run < positions.size() &&
           positions[events.size() + run].value() == first.value() + run)
      ++run;
    const auto batch = log.read_after(Position(first.value() - 1), run);
    if (batch.empty() || batch.front().position != first)
      throw eventstore::LogCorrupt("the read models list an event that the ledger does not have");
    for (const auto& stored : batch) events.push_back(eventstore::decode(stored));
  }
  return events;
}

Reply render(const Services& services, const FeedQuery& asked, const FeedPage& page) {
  const auto events = read_events(services.log, page.positions);
  const auto& identity = services.log.identity();
  eventstore::Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& event : events) {
    json.begin_object();
    json.field("id", event_cursor(identity, asked.project, event.position));
    write_event(json, services.log, event);
    json.end_object();
  }
  json.end_array().key("meta").begin_object();
  json.field("next", event_cursor(identity, asked.project, page.looked_until));
  json.end_object().end_object();
  return {200, json.take()};
}

// Looks again whenever the views have gone on, until there is something or the time is over.
std::optional<FeedPage> wait_for_events(const Services& services, const Asked& asked, const domain::ApiKeyId& key,
                                        FeedPage page) {
  const auto deadline = LongPolls::Clock::now() + asked.wait;
  const auto waiter = services.long_polls.enter(asked.feed.project, key);
  if (!waiter) return std::nullopt;
  auto feed = asked.feed;
  while (page.positions.empty()) {
    feed.after = page.looked_until;
    if (page.at_end && !waiter->wait_applied(page.as_of.next(), deadline)) break;
    if (LongPolls::Clock::now() >= deadline) break;
    page = projections::read_feed(*services.views.database(), feed);
  }
  return page;
}

}  // namespace

Reply list_events(const Services& services, const Request& request) {
  Violations violations;
  const auto asked = read_asked(services, request, violations);
  if (!violations.empty()) return validation_reply(request, std::move(violations));
  if (!views_are_fresh(services, *request.caller)) return views_behind_reply(request);
  auto page = projections::read_feed(*services.views.database(), asked.feed);
  if (page.positions.empty() && asked.wait.count() > 0) {
    auto later = wait_for_events(services, asked, request.caller->key, std::move(page));
    if (!later)
      return transport_error_reply(request, 503,
                                   "Too many requests wait for events. Try again, or without wait.");
    page = *std::move(later);
  }
  return render(services, asked.feed, page);
}

}  // namespace pixledger::http
