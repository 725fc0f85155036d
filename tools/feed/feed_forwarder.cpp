#include "tools/feed/feed_forwarder.h"

#include <utility>

#include "domain/aggregates/event_kinds.h"
#include "stores/deliveries/webhook_payload.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::ChargeEvent;
using domain::RecordedEvent;

constexpr std::size_t kPageItems = 1000;

const ChargeEvent& change_of(const RecordedEvent& event) { return std::get<ChargeEvent>(event.event); }

std::optional<Charge> fold(const std::vector<RecordedEvent>& events, std::size_t count) {
  std::optional<Charge> charge;
  for (std::size_t i = 0; i < count; ++i)
    charge = domain::apply(std::move(charge), change_of(events[i]), events[i].recorded_at);
  return charge;
}

// As the feed calls it: of refunds only the last one has its kind's name.
bool is_named(const RecordedEvent& event, const std::string& name) {
  if (domain::kind_of(event.event).feed_name == domain::kind_of<domain::ChargeRefunded>().feed_name)
    return name == domain::to_string(domain::WebhookEvent::kTransactionRefunded) ||
           name == domain::to_string(domain::WebhookEvent::kTransactionPartiallyRefunded);
  return name == domain::kind_of(event.event).feed_name;
}

}  // namespace

void FeedForwarder::begin() {
  if (!since_) cursor_ = "now";
  read_page();
  api_.check_scopes();
}

void FeedForwarder::read_page() {
  auto page = api_.events(cursor_, kPageItems);
  cursor_ = std::move(page.next);
  items_ = std::move(page.items);
  next_ = 0;
}

bool FeedForwarder::step(const workers::ForwardingTarget::Report& report,
                         const workers::ForwardingTarget::Stop& stop) {
  if (next_ == items_.size()) {
    try {
      read_page();
    } catch (const ApiCursorCutOff& cut) {
      cursor_ = cut.resume_after();
      throw;
    }
  }
  while (next_ < items_.size()) {
    const auto& item = items_[next_];
    const bool is_meant = item.charge && (!since_ || item.occurred_at >= *since_);
    if (is_meant && !forward(item, report, stop)) return false;
    ++next_;
    if (is_meant) return true;
  }
  return true;
}

bool FeedForwarder::forward(const FeedItem& item, const workers::ForwardingTarget::Report& report,
                            const workers::ForwardingTarget::Stop& stop) {
  if (item.occurred_at != moment_) told_.clear();
  moment_ = item.occurred_at;
  const auto events = api_.charge_events(*item.charge);
  const auto which = find(item, events);
  for (const auto& [delivery, body] : webhooks_of(item, events, which)) {
    if (!target_.forward(delivery, body, report, stop)) return false;
  }
  told_[*item.charge] = events[which].version;
  return true;
}

std::size_t FeedForwarder::find(const FeedItem& item, const std::vector<RecordedEvent>& events) const {
  const auto told = told_.find(*item.charge);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool is_new = told == told_.end() || events[i].version > told->second;
    if (is_new && events[i].recorded_at == item.occurred_at && is_named(events[i], item.event)) return i;
  }
  throw std::runtime_error("the receipt of transaction " + item.charge->text() + " does not have its event " +
                           item.id);
}

std::vector<FeedForwarder::Webhook> FeedForwarder::webhooks_of(const FeedItem& item,
                                                               const std::vector<RecordedEvent>& events,
                                                               std::size_t which) {
  const auto& event = events[which];
  const auto before = fold(events, which);
  const auto after = domain::apply(before, change_of(event), event.recorded_at);
  if (!after) throw std::runtime_error("the receipt of transaction " + item.charge->text() + " is not whole");
  std::vector<stores::Announcement> announcements;
  for (const auto webhook : domain::webhook_events_of(change_of(event), *after))
    announcements.push_back({webhook, after->id, after->environment});
  const auto deliveries = target_.deliveries_of(event, announcements);
  if (deliveries.empty()) return {};

  const auto customer = api_.customer(after->customer);
  std::optional<domain::UnappliedPayment> payment;
  if (before) payment = stores::payment_told(change_of(event), event.recorded_at, *before);
  std::vector<Webhook> webhooks;
  for (const auto& delivery : deliveries) {
    const stores::WebhookFacts facts{.event = *delivery.event,
                                     .event_id = item.id,
                                     .occurred_at = event.recorded_at,
                                     .recorded = change_of(event),
                                     .charge = *after,
                                     .payment = payment ? &*payment : nullptr,
                                     .customer = customer ? &*customer : nullptr};
    webhooks.push_back({delivery, stores::webhook_body(facts, delivery.version)});
  }
  return webhooks;
}

}  // namespace pixledger::tools
