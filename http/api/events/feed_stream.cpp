#include <utility>

#include "base/platform/json.h"
#include "http/api/events/event_json.h"
#include "http/api/events/feed_waits.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/caller_confirmation.h"
#include "http/front/unread_judge.h"
#include "http/routing/stream_body.h"

namespace pixledger::http {
namespace {

using SteadyClock = Subscription::Clock;

constexpr std::chrono::seconds kStreamCommentEvery{15};
// A stream with nothing to tell ends with its key or sign-in within so long.
constexpr std::chrono::seconds kLookAtKeyEvery{1};
// Of events that wait to be read: then no more are looked for, so that with one look's and what the loop is
// sending there are never more than 64 KiB. What was sent is the transport's to watch.
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
    // A reader that is behind finds what it missed in the ledger, whenever it has read what waits for it.
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
      // A key's or membership's end precedes, in the ledger, every event that its holder must not see.
      if (refuse_ended_caller(services_, request_)) return end();
      found_at_ = SteadyClock::now();
      send_confirmed();
    } else if (now - written_at_ >= kStreamCommentEvery) {
      written_at_ = now;
      body_->write(kStreamComment);
    }
    return {};
  }

  // Sends the events that were found, once the accounts have confirmed that the sign-in had not ended by
  // then.
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
  std::string found_;  // events to be sent
  std::uint64_t made_at_ = 0;
  SteadyClock::time_point found_at_;
  FeedLooked looked_;
  bool reader_is_behind_ = false;
  SteadyClock::time_point looked_at_ = SteadyClock::now();
  SteadyClock::time_point written_at_ = looked_at_;
};

}  // namespace

Answer stream_feed(const Services& services, const Request& request, const FeedAsked& asked,
                   const eventstore::EventIds& ids) {
  // Starts watching the caller's sign-in.
  if (auto refused = refuse_ended_caller(services, request)) return *std::move(refused);
  return std::make_shared<FeedStream>(services, request, asked, ids);
}

}  // namespace pixledger::http
