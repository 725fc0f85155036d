#include "workers/webhooks/webhook_forwarder.h"

#include <cassert>
#include <utility>

#include "eventstore/codec/codec.h"
#include "eventstore/platform/sha256.h"
#include "projections/deliveries/announcement.h"

namespace pixledger::workers {
namespace {

using projections::Delivery;

// The same for the same project and address, so that a receiver knows events it had before by their id.
domain::ChannelId channel_id_of(const Forwarding& forwarding) {
  const auto digest = eventstore::to_hex(
      eventstore::sha256("forwarding/" + forwarding.project.text() + "/" + forwarding.url));
  auto id = domain::ChannelId::parse("c" + digest.substr(0, domain::kMintedIdSize - 1));
  assert(id.has_value());
  return *std::move(id);
}

domain::Channel channel_of(const Forwarding& forwarding) {
  return {channel_id_of(forwarding),
          forwarding.project,
          std::nullopt,
          forwarding.url,
          forwarding.events,
          forwarding.version,
          {},
          "",
          false,
          true,
          std::nullopt,
          std::nullopt,
          {},
          {},
          {}};
}

Delivery pending(const projections::NewDelivery& made) {
  return {0,
          made.id,
          made.channel,
          made.project,
          made.charge,
          made.environment,
          made.event,
          made.version,
          made.position,
          made.sequence,
          made.created_at,
          projections::DeliveryStatus::kPending,
          0,
          std::nullopt};
}

// The developer's own machine and network; everything else must be public, as for channels.
eventstore::TargetPolicy local_targets() {
  eventstore::TargetPolicy policy;
  policy.allow_http = true;
  for (const auto* range :
       {"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}) {
    auto parsed = domain::Cidr::parse(range);
    assert(parsed.has_value());
    policy.allowed.push_back(*std::move(parsed));
  }
  return policy;
}

}  // namespace

WebhookForwarder::WebhookForwarder(const eventstore::Log& log, const eventstore::Clock& clock,
                                   const eventstore::Resolver& resolver, SenderOptions sender,
                                   Forwarding forwarding, domain::Position after)
    : log_(log),
      clock_(clock),
      resolver_(resolver),
      forwarding_(std::move(forwarding)),
      channel_(channel_of(forwarding_)),
      composer_(log),
      sender_(std::move(sender)),
      after_(after) {}

bool WebhookForwarder::step(const Report& report, const Stop& stop) {
  const auto batch = log_.read_after(after_, kStepEventsMax);
  for (const auto& stored : batch) {
    const auto event = eventstore::decode(stored);
    const auto delivery = delivery_of(event);
    if (delivery && !forward(*delivery, report, stop)) return false;
    after_ = event.position;
    if (delivery) return true;
  }
  return !batch.empty();
}

std::optional<Delivery> WebhookForwarder::delivery_of(const domain::RecordedEvent& event) const {
  if (event.project != forwarding_.project) return std::nullopt;
  const auto announcement = projections::announcement_of(log_, event);
  if (!announcement || !forwarding_.events.contains(announcement->webhook)) return std::nullopt;
  return pending(projections::delivery_for(event, *announcement, channel_));
}

bool WebhookForwarder::forward(Delivery delivery, const Report& report, const Stop& stop) {
  while (true) {
    const auto result = post(delivery);
    report(delivery, result);
    if (result.http_status != 0) return true;
    if (stop()) return false;
    ++delivery.attempts;
  }
}

PostResult WebhookForwarder::post(const Delivery& delivery) {
  const auto target = eventstore::check_webhook_target(forwarding_.url, local_targets(), resolver_);
  if (const auto* refused = std::get_if<domain::TargetRefused>(&target)) {
    PostResult result;
    result.error = "target refused: it " + refused->reason;
    return result;
  }
  const auto webhook =
      composer_.compose(delivery, {forwarding_.secret, std::nullopt}, delivery.attempts + 1, clock_.now());
  return sender_.post(std::get<eventstore::PinnedTarget>(target), webhook);
}

}  // namespace pixledger::workers
