#include "eventstore/platform/json.h"
#include "http/api/events/event_json.h"
#include "http/api/events/feed_waits.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/stream_body.h"

namespace pixledger::http {
namespace {

using Clock = Subscription::Clock;

constexpr std::chrono::seconds kStreamCommentEvery{15};
// Well within the five seconds in which a stream ends with its key, when there is nothing to tell.
constexpr std::chrono::seconds kLookAtKeyEvery{3};
// Of events that wait to be read: then no more are looked for, so that with one look's and what the loop is
// sending there are never more than 64 KiB. What was sent is the transport's to watch.
constexpr std::size_t kUnreadMax = 24 * 1024;
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

  Clock::time_point next_look() const override {
    if (looked_.at_end) return key_looked_at_ + kLookAtKeyEvery;
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
    const auto now = looked_at_ = Clock::now();
    if (now - key_looked_at_ >= kLookAtKeyEvery && key_has_ended()) return end();
    // A reader that is behind finds what it missed in the ledger, whenever it has read what waits for it.
    reader_is_behind_ = body_->unread() >= kUnreadMax;
    if (reader_is_behind_) {
      looked_.at_end = false;
      return {};
    }
    std::string events;
    looked_ = look_at_feed(
        services_, asked_, ids_, kWaitLookMax, [&events] { return events.size() >= kUnreadMax; },
        [&](const std::string& id, PageStates& states, const domain::RecordedEvent& event) {
          append(events, id, states, event);
        });
    asked_.query.after = looked_.after;
    if (events.empty() && now - written_at_ < kStreamCommentEvery) return {};
    // Its end is in the ledger before whatever its holder must not see.
    if (!events.empty() && key_has_ended()) return end();
    written_at_ = now;
    body_->write(events.empty() ? kStreamComment : std::string_view(events));
    return {};
  }

  bool key_has_ended() {
    key_looked_at_ = Clock::now();
    return refuse_ended_caller(services_, request_).has_value();
  }
  Looked end() {
    body_->end();
    return {.reply = {}, .has_ended = true};
  }

  void append(std::string& events, const std::string& id, PageStates& states,
              const domain::RecordedEvent& event) const {
    eventstore::Json json;
    write_item(json, id, states, event, asked_.personal);
    events.append("id: ").append(id).append("\nevent: ").append(feed_name_of(states, event));
    events.append("\ndata: ").append(json.take()).append("\n\n");
  }

  const Services& services_;
  const Request& request_;
  FeedAsked asked_;
  const eventstore::EventIds ids_;
  const std::shared_ptr<StreamBody> body_ = std::make_shared<StreamBody>();
  FeedLooked looked_;
  bool reader_is_behind_ = false;
  Clock::time_point looked_at_ = Clock::now();
  Clock::time_point key_looked_at_ = looked_at_;
  Clock::time_point written_at_ = looked_at_;
};

}  // namespace

Answer stream_feed(const Services& services, const Request& request, const FeedAsked& asked,
                   const eventstore::EventIds& ids) {
  // Begins the watch over a sign-in.
  if (auto refused = refuse_ended_caller(services, request)) return *std::move(refused);
  return std::make_shared<FeedStream>(services, request, asked, ids);
}

}  // namespace pixledger::http
