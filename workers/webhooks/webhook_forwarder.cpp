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
  return {.id = channel_id_of(forwarding),
          .project = forwarding.project,
          .name = std::nullopt,
          .url = forwarding.url,
          .events = forwarding.events,
          .version = forwarding.version,
          .secret = {},
          .secret_hint = "",
          .environments = domain::EnvironmentSet::all(),
          .was_told_of_live = true,
          .is_active = true,
          .disabled_reason = std::nullopt,
          .retiring_secrets = {},
          .active_since = {},
          .created_at = {},
          .updated_at = {}};
}

Delivery pending(const projections::NewDelivery& made) {
  return {.number = 0,
          .id = made.id,
          .channel = made.channel,
          .project = made.project,
          .charge = made.charge,
          .environment = made.environment,
          .event = made.event,
          .version = made.version,
          .position = made.position,
          .sequence = made.sequence,
          .created_at = made.created_at,
          .status = projections::DeliveryStatus::kPending,
          .attempts = 0,
          .next_attempt_at = std::nullopt};
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

WebhookForwarder::WebhookForwarder(const eventstore::Log& log, const eventstore::Keyring& keyring,
                                   const eventstore::Clock& clock, const eventstore::Resolver& resolver,
                                   SenderOptions sender, Forwarding forwarding, domain::Position after)
    : log_(log),
      clock_(clock),
      resolver_(resolver),
      forwarding_(std::move(forwarding)),
      channel_(channel_of(forwarding_)),
      history_(log),
      composer_(log, keyring, forwarding_.ended_epochs),
      sender_(std::move(sender)),
      after_(after) {}

bool WebhookForwarder::step(const Report& report, const Stop& stop) {
  const auto batch = log_.read_after(after_, kStepEventsMax);
  for (const auto& stored : batch) {
    const auto event = eventstore::decode(stored);
    const auto deliveries = deliveries_of(event);
    for (const auto& delivery : deliveries) {
      if (!forward(delivery, report, stop)) return false;
    }
    after_ = event.position;
    if (!deliveries.empty()) return true;
  }
  return !batch.empty();
}

std::vector<Delivery> WebhookForwarder::deliveries_of(const domain::RecordedEvent& event) {
  std::vector<Delivery> deliveries;
  if (event.project != forwarding_.project) return deliveries;
  for (const auto& announcement : projections::announcements_of(history_, event)) {
    if (projections::wants(channel_, announcement))
      deliveries.push_back(pending(projections::delivery_for(event, announcement, channel_)));
  }
  return deliveries;
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
  const auto webhook = composer_.compose(delivery, {forwarding_.secret}, delivery.attempts + 1, clock_.now());
  return sender_.post(std::get<eventstore::PinnedTarget>(target), webhook);
}

}  // namespace pixledger::workers
