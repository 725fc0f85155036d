#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "base/platform/json.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "http/api/checkout/session_states.h"
#include "http/api/endpoints.h"
#include "http/api/payer/payer_view.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/routing/stream_body.h"

namespace pixledger::http {
namespace {

using SteadyClock = Subscription::Clock;

constexpr std::chrono::seconds kCommentEvery{15};
// Of events that wait to be read: then no more are made, and a session that changes meanwhile is told of
// once.
constexpr std::size_t kUnreadChangesMax = 24 * 1024;
// Looked at before others have their turn.
constexpr std::size_t kChangesPerLook = 256;
// Sessions that wait to be told of, for a reader who is behind: who is further behind begins anew.
constexpr std::size_t kChangedMax = 65'536;

class PayerChanges final : public Subscription {
 public:
  PayerChanges(const Services& services, const Request& request)
      : Subscription({std::nullopt, domain::Environment::kLive}),
        services_(services),
        after_(request.caller->arrival.position) {}

  SteadyClock::time_point next_look() const override {
    return is_behind_ ? looked_at_ + kBehindPause : written_at_ + kCommentEvery;
  }
  std::chrono::milliseconds wait_max() const override { return {}; }
  std::optional<Reply> begin() override { return stream_reply(body_); }

  Looked look(Time time) override {
    try {
      if (time == Time::kGoesOn && look_on()) return {};
    } catch (...) {
      body_->end();
      throw;
    }
    body_->end();
    return {.reply = {}, .has_ended = true};
  }

 private:
  static constexpr std::chrono::milliseconds kBehindPause{10};

  // False for a reader who is too far behind.
  bool look_on() {
    looked_at_ = SteadyClock::now();
    const auto events = services_.log.read_after(after_, kChangesPerLook);
    for (const auto& stored : events) {
      if (const auto session = session_of(eventstore::decode(stored))) changed_.insert(session->text());
      after_ = stored.position;
    }
    std::string text;
    while (!changed_.empty() && body_->unread() + text.size() < kUnreadChangesMax) {
      append(text, *domain::CheckoutSessionId::parse(*changed_.begin()));
      changed_.erase(changed_.begin());
    }
    if (changed_.size() > kChangedMax) return false;
    is_behind_ = !changed_.empty() || events.size() == kChangesPerLook;
    if (text.empty() && looked_at_ - written_at_ < kCommentEvery) return true;
    written_at_ = looked_at_;
    body_->write(text.empty() ? kStreamComment : std::string_view(text));
    return true;
  }

  // Nothing of an event that no page shows.
  std::optional<domain::CheckoutSessionId> session_of(const domain::RecordedEvent& event) const {
    if (event.stream.kind() == domain::StreamKind::kCheckoutSession)
      return domain::CheckoutSessionId::parse(event.stream.key());
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    if (!of_charge) return std::nullopt;
    if (const auto* created = std::get_if<domain::ChargeCreated>(of_charge)) return created->checkout_session;
    const auto id = domain::ChargeId::parse(event.stream.key());
    const auto charge = id ? find_charge(services_, services_.log.head(), *id) : nullptr;
    return charge ? charge->checkout_session : std::nullopt;
  }

  void append(std::string& text, const domain::CheckoutSessionId& id) const {
    const auto view = payer_view(services_, id);
    if (!view) return;
    Json json;
    json.begin_object().field("session", id).field("version", view->version);
    json.field("state", to_string(view->state)).end_object();
    text.append("event: session\ndata: ").append(json.take()).append("\n\n");
  }

  const Services& services_;
  Position after_;
  std::set<std::string> changed_;
  const std::shared_ptr<StreamBody> body_ = std::make_shared<StreamBody>();
  bool is_behind_ = false;
  SteadyClock::time_point looked_at_ = SteadyClock::now();
  SteadyClock::time_point written_at_ = looked_at_;
};

}  // namespace

Answer stream_payer_changes(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  return std::make_shared<PayerChanges>(services, request);
}

}  // namespace pixledger::http
