#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/http/message/request.h"
#include "base/http/message/syntax.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "eventstore/proof/event_id.h"
#include "http/api/common/event_cursor.h"
#include "http/api/endpoints.h"
#include "http/api/events/event_json.h"
#include "http/api/events/feed_look.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/caller_confirmation.h"
#include "http/routing/answer.h"
#include "http/routing/input.h"
#include "http/routing/stream_body.h"
#include "projections/generations/projector.h"

namespace pixledger::http {
namespace {

// A wait ends at most this long after its caller's key or sign-in.
constexpr std::chrono::seconds kFeedLookAtCallerEvery{1};

struct FeedPage {
  Reply reply;
  FeedLooked looked;
};

FeedPage make_page(const Services& services, const FeedAsked& asked, const eventstore::EventIds& ids,
                   std::chrono::milliseconds look_max, const std::function<bool()>& is_over) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  const auto looked =
      look_at_feed(services, asked, ids, look_max, is_over,
                   [&](const std::string& id, PageStates& states, const domain::RecordedEvent& event) {
                     write_item(json, id, states, event, asked.personal);
                   });
  json.end_array().key("meta").begin_object();
  json.field("next", ids.of(looked.after));
  json.end_object().end_object();
  return {{200, json.take()}, looked};
}

// Looks after each news until there are events or the time is over. A page is sent once the reader's sign-in
// is confirmed as of then.
class FeedWait final : public Subscription {
 public:
  FeedWait(const Services& services, const Request& request, FeedAsked asked, eventstore::EventIds ids,
           const FeedLooked& looked, std::chrono::seconds wait)
      : Subscription({request.caller->project, request.caller->environment}),
        services_(services),
        request_(request),
        asked_(std::move(asked)),
        ids_(std::move(ids)),
        wait_(wait),
        deadline_(Clock::now() + wait),
        looked_(looked) {
    asked_.query.after = looked.after;
  }

  Clock::time_point next_look() const override {
    if (!looked_.at_end || page_) return Clock::time_point::min();
    return std::min(deadline_, looked_at_ + kFeedLookAtCallerEvery);
  }
  std::optional<Reply> begin() override { return std::nullopt; }
  std::chrono::milliseconds wait_max() const override { return wait_; }

  Looked look(Time time) override {
    looked_at_ = Clock::now();
    if (auto refused = refuse_ended_caller(services_, request_)) return {.reply = std::move(refused)};
    if (!page_ && !has_news(time)) return {};
    if (!page_ && !find_page(time)) return {};
    if (time == Time::kGoesOn && !is_caller_confirmed(services_, *request_.caller, found_at_)) return {};
    auto page = std::exchange(page_, std::nullopt);
    if (!judge_.may_be_sent(made_at_) && time == Time::kGoesOn) {
      applied_ = {};  // the page is made again
      return {};
    }
    asked_.query.after = page->looked.after;
    return {.reply = std::move(page->reply)};
  }

 private:
  // False if it was woken only to check its caller.
  bool has_news(Time time) {
    const auto applied = services_.projector.applied();
    const bool is_new = applied != std::exchange(applied_, applied);
    return is_new || !looked_.at_end || time == Time::kIsOver || looked_at_ >= deadline_;
  }
  // False if there are no events yet.
  bool find_page(Time time) {
    made_at_ = judge_.now();
    // Without the request's budget, which counts from its arrival: waiting is no work.
    auto page =
        make_page(services_, asked_, ids_,
                  time == Time::kIsOver ? std::chrono::milliseconds(0) : kWaitLookMax, [] { return false; });
    looked_ = page.looked;
    if (looked_.items == 0 && time == Time::kGoesOn && Clock::now() < deadline_) {
      asked_.query.after = looked_.after;
      return false;
    }
    page_ = std::move(page);
    found_at_ = Clock::now();
    return true;
  }

  const Services& services_;
  const Request& request_;
  FeedAsked asked_;
  const eventstore::EventIds ids_;
  const std::chrono::seconds wait_;
  const Clock::time_point deadline_;
  FeedLooked looked_;
  const UnreadJudge judge_{services_, request_};
  std::optional<FeedPage> page_;  // waits for the confirmation
  std::uint64_t made_at_ = 0;
  Position applied_;  // position of the read models at the last look
  Clock::time_point looked_at_ = Clock::now();
  Clock::time_point found_at_;
};

using SteadyClock = Subscription::Clock;

constexpr std::chrono::seconds kStreamCommentEvery{15};
// An idle stream ends at most this long after its key or sign-in.
constexpr std::chrono::seconds kLookAtKeyEvery{1};
// Bytes of unread events. Above this the stream looks for no more. With one look's events and those that the
// loop is sending, they stay below 64 KiB. The transport limits bytes already sent.
constexpr std::size_t kUnreadEventsMax = 24 * 1024;
constexpr std::size_t kItemsPerLook = 100;

class FeedStream final : public Subscription {
 public:
  FeedStream(const Services& services, const Request& request, FeedAsked asked, eventstore::EventIds ids)
      : Subscription({request.caller->project, request.caller->environment}),
        services_(services),
        request_(request),
        asked_(std::move(asked)),
        ids_(std::move(ids)) {
    asked_.query.limit = kItemsPerLook;
  }

  SteadyClock::time_point next_look() const override {
    if (!found_.empty()) return looked_at_ + kBehindPause;
    if (looked_.at_end) return looked_at_ + kLookAtKeyEvery;
    return looked_at_ + (reader_is_behind_ ? kReaderPause : kBehindPause);
  }
  std::chrono::milliseconds wait_max() const override { return {}; }

  std::optional<Reply> begin() override { return stream_reply(body_); }

  Looked look(Time time) override {
    try {
      return look_on(time);
    } catch (...) {
      body_->end();
      throw;
    }
  }

 private:
  static constexpr std::chrono::milliseconds kBehindPause{10};
  static constexpr std::chrono::milliseconds kReaderPause{200};

  Looked look_on(Time time) {
    if (time == Time::kIsOver) return end();
    const auto now = looked_at_ = SteadyClock::now();
    if (refuse_ended_caller(services_, request_)) return end();
    if (!found_.empty()) {
      send_confirmed();
      return {};
    }
    // A slow reader gets what it missed from the ledger, once it has read what is waiting.
    reader_is_behind_ = body_->unread() >= kUnreadEventsMax;
    if (reader_is_behind_) {
      looked_.at_end = false;
      return {};
    }
    made_at_ = judge_.now();
    looked_ = look_at_feed(
        services_, asked_, ids_, kWaitLookMax, [this] { return found_.size() >= kUnreadEventsMax; },
        [this](const std::string& id, PageStates& states, const domain::RecordedEvent& event) {
          append(found_, id, states, event);
        });
    asked_.query.after = looked_.after;
    if (!found_.empty()) {
      // Keys and memberships end in the ledger, before any event that their holder must not see.
      if (refuse_ended_caller(services_, request_)) return end();
      found_at_ = SteadyClock::now();
      send_confirmed();
    } else if (now - written_at_ >= kStreamCommentEvery) {
      written_at_ = now;
      body_->write(kStreamComment);
    }
    return {};
  }

  // Sends the found events once the accounts confirm that the sign-in had not ended by then.
  void send_confirmed() {
    if (!is_caller_confirmed(services_, *request_.caller, found_at_)) return;
    written_at_ = SteadyClock::now();
    body_->write_events(std::exchange(found_, {}), made_at_);
  }
  Looked end() {
    body_->end();
    return {.reply = {}, .has_ended = true};
  }

  void append(std::string& events, const std::string& id, PageStates& states,
              const domain::RecordedEvent& event) const {
    Json json;
    write_item(json, id, states, event, asked_.personal);
    events.append("id: ").append(id).append("\nevent: ").append(feed_name_of(states, event));
    events.append("\ndata: ").append(json.take()).append("\n\n");
  }

  const Services& services_;
  const Request& request_;
  FeedAsked asked_;
  const eventstore::EventIds ids_;
  const UnreadJudge judge_{services_, request_};
  const std::shared_ptr<StreamBody> body_ = std::make_shared<StreamBody>(
      [judge = judge_](std::uint64_t made_at) { return judge.may_be_sent(made_at); });
  std::string found_;  // events to send
  std::uint64_t made_at_ = 0;
  SteadyClock::time_point found_at_;
  FeedLooked looked_;
  bool reader_is_behind_ = false;
  SteadyClock::time_point looked_at_ = SteadyClock::now();
  SteadyClock::time_point written_at_ = looked_at_;
};

// A page of the feed; an empty one waits for events if the caller asked for that.
Answer answer_feed(const Services& services, const Request& request, const FeedAsked& asked,
                   const eventstore::EventIds& ids, std::chrono::seconds wait) {
  auto page = make_page(services, asked, ids, kPageLookMax, [&request] { return request.budget.is_over(); });
  if (page.looked.items > 0 || wait.count() == 0) return std::move(page.reply);
  // Starts watching the caller's sign-in.
  if (auto refused = refuse_ended_caller(services, request)) return *std::move(refused);
  return std::make_shared<FeedWait>(services, request, asked, ids, page.looked, wait);
}

// The feed as server-sent events (WHATWG HTML §9.2), until the caller disconnects or its key ends: `id` is
// the cursor, `event` the name, `data` the item; a comment every 15 s.
Answer stream_feed(const Services& services, const Request& request, const FeedAsked& asked,
                   const eventstore::EventIds& ids) {
  // Starts watching the caller's sign-in.
  if (auto refused = refuse_ended_caller(services, request)) return *std::move(refused);
  return std::make_shared<FeedStream>(services, request, asked, ids);
}

using eventstore::EventIds;

constexpr std::uint32_t kFeedLimitDefault = 100;
constexpr std::uint32_t kFeedLimitMax = 1000;
constexpr std::uint32_t kWaitMaxS = 30;
constexpr std::string_view kTypesRule =
    "must be names of events, separated by commas, as the items have them";

struct AskedEvents {
  FeedAsked feed;
  std::chrono::seconds wait{0};
  std::optional<Position> resume_after;  // a restore has cut off the named event
};

// The start of the feed without a named position.
enum class Begins { kAtFirst, kAtHead };

void read_after(const Services& services, const Caller& caller, Input& input, Begins begins,
                AskedEvents& asked) {
  auto text = input.parameter("after");
  std::string_view field = "after";
  if (begins == Begins::kAtHead) {
    // After a lost connection the client's header is newer than its URL.
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
