#include <algorithm>
#include <optional>
#include <utility>

#include "base/platform/json.h"
#include "http/api/events/feed_waits.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/caller_confirmation.h"
#include "http/front/unread_judge.h"
#include "projections/generations/projector.h"

namespace pixledger::http {
namespace {

// A wait ends with its caller's key or sign-in within so long.
constexpr std::chrono::seconds kLookAtCallerEvery{1};

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

// Looks again whenever there is news, until there is something or the time is over. A page is given once it
// is known that its reader's sign-in has not ended by then.
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
    return std::min(deadline_, looked_at_ + kLookAtCallerEvery);
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
  // Not where it looks after its caller alone.
  bool has_news(Time time) {
    const auto applied = services_.projector.applied();
    const bool is_new = applied != std::exchange(applied_, applied);
    return is_new || !looked_.at_end || time == Time::kIsOver || looked_at_ >= deadline_;
  }
  // False where there is nothing yet.
  bool find_page(Time time) {
    made_at_ = judge_.now();
    // Its budget counts from its arrival, and what it asked to wait is no work.
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
  std::optional<FeedPage> page_;  // to be given
  std::uint64_t made_at_ = 0;
  Position applied_;  // by the read models, when it looked last
  Clock::time_point looked_at_ = Clock::now();
  Clock::time_point found_at_;
};

}  // namespace

Answer answer_feed(const Services& services, const Request& request, const FeedAsked& asked,
                   const eventstore::EventIds& ids, std::chrono::seconds wait) {
  auto page = make_page(services, asked, ids, kPageLookMax, [&request] { return request.budget.is_over(); });
  if (page.looked.items > 0 || wait.count() == 0) return std::move(page.reply);
  // Starts watching the caller's sign-in.
  if (auto refused = refuse_ended_caller(services, request)) return *std::move(refused);
  return std::make_shared<FeedWait>(services, request, asked, ids, page.looked, wait);
}

}  // namespace pixledger::http
