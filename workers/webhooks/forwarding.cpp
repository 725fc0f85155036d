#include "workers/webhooks/forwarding.h"

#include <cassert>
#include <utility>

#include "base/platform/sha256.h"
#include "eventstore/codec/codec.h"

namespace pixledger::workers {
namespace {

using stores::Delivery;

// The same for the same project and address, so that a receiver recognises repeated events by id.
domain::ChannelId channel_id_of(const domain::ProjectId& project, const std::string& url) {
  const auto digest = to_hex(sha256("forwarding/" + project.text() + "/" + url));
  auto id = domain::ChannelId::parse("c" + digest.substr(0, domain::kMintedIdSize - 1));
  assert(id.has_value());
  return *std::move(id);
}

// A channel that exists only here.
domain::Channel channel_of(const Forwarding& forwarding, const domain::ProjectId& project) {
  return {.id = channel_id_of(project, forwarding.url),
          .project = project,
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

Delivery pending(const stores::NewDelivery& made) {
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
          .status = stores::DeliveryStatus::kPending,
          .attempts = 0,
          .next_attempt_at = std::nullopt};
}

// The developer's own machine and network are allowed; other targets must be public, as for channels.
TargetPolicy local_targets() {
  TargetPolicy policy;
  policy.allow_http = true;
  for (const auto* range :
       {"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}) {
    auto parsed = Cidr::parse(range);
    assert(parsed.has_value());
    policy.allowed.push_back(*std::move(parsed));
  }
  return policy;
}

}  // namespace

ForwardingTarget::ForwardingTarget(Forwarding forwarding, SenderOptions sender, const Clock& clock,
                                   const Resolver& resolver)
    : forwarding_(std::move(forwarding)), clock_(clock), resolver_(resolver), sender_(std::move(sender)) {}

std::vector<Delivery> ForwardingTarget::deliveries_of(
    const domain::RecordedEvent& event, const std::vector<stores::Announcement>& announcements) const {
  std::vector<Delivery> deliveries;
  const auto channel = channel_of(forwarding_, event.project);
  for (const auto& announcement : announcements) {
    if (stores::wants(channel, announcement))
      deliveries.push_back(pending(stores::delivery_for(event, announcement, channel)));
  }
  return deliveries;
}

bool ForwardingTarget::forward(Delivery delivery, const std::string& body, const Report& report,
                               const Stop& stop) {
  while (true) {
    const auto result = post(delivery, body);
    report(delivery, result);
    if (result.http_status != 0) return true;
    if (stop()) return false;
    ++delivery.attempts;
  }
}

PostResult ForwardingTarget::post(const Delivery& delivery, const std::string& body) {
  const auto target = check_webhook_target(forwarding_.url, local_targets(), resolver_);
  if (const auto* refused = std::get_if<TargetRefused>(&target)) {
    PostResult result;
    result.error = "target refused: it " + refused->reason;
    return result;
  }
  const auto webhook =
      stores::signed_post(body, delivery, {forwarding_.secret}, delivery.attempts + 1, clock_.now());
  return sender_.post(std::get<PinnedTarget>(target), webhook);
}

WebhookForwarder::WebhookForwarder(const eventstore::Log& log, const eventstore::Keyring& keyring,
                                   std::vector<eventstore::EndedEpoch> ended_epochs,
                                   domain::ProjectId project, ForwardingTarget& target, Position after)
    : log_(log),
      project_(std::move(project)),
      target_(target),
      history_(log),
      composer_(log, keyring, std::move(ended_epochs)),
      after_(after) {}

bool WebhookForwarder::step(const ForwardingTarget::Report& report, const ForwardingTarget::Stop& stop) {
  const auto batch = log_.read_after(after_, kStepEventsMax);
  for (const auto& stored : batch) {
    const auto event = eventstore::decode(stored);
    const auto deliveries = deliveries_of(event);
    for (const auto& delivery : deliveries) {
      if (!target_.forward(delivery, composer_.body_of(delivery), report, stop)) return false;
    }
    after_ = event.position;
    if (!deliveries.empty()) return true;
  }
  return !batch.empty();
}

std::vector<stores::Delivery> WebhookForwarder::deliveries_of(const domain::RecordedEvent& event) {
  if (event.project != project_) return {};
  return target_.deliveries_of(event, stores::announcements_of(history_, event));
}

}  // namespace pixledger::workers
