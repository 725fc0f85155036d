#include "workers/webhook_composer.h"

#include "projections/channel_secret.h"
#include "workers/webhook_payload.h"
#include "workers/webhook_signature.h"

namespace pixledger::workers {
namespace {

template <class Aggregate>
Aggregate fold_existing(const eventstore::Log& log, const domain::StreamName& stream,
                        domain::Position up_to) {
  auto state = eventstore::fold_as<Aggregate>(log, stream, up_to);
  if (!state)
    throw eventstore::LogCorrupt("the stream " + stream.text() + " is empty at a webhook's position");
  return *std::move(state);
}

}  // namespace

domain::Channel WebhookComposer::channel_of(const projections::Delivery& delivery) {
  const auto stream = domain::channel_stream(delivery.channel);
  const auto state = channels_.find(stream, log_.head());
  const auto* channel = state ? std::get_if<domain::Channel>(state.get()) : nullptr;
  if (!channel) throw eventstore::LogCorrupt("the stream " + stream.text() + " has no channel");
  return *channel;
}

std::string WebhookComposer::body_of(const projections::Delivery& delivery) const {
  const auto charge =
      fold_existing<domain::Charge>(log_, domain::charge_stream(delivery.charge), delivery.position);
  const auto holder = log_.claim_holder(domain::customer_claim(charge.customer));
  if (!holder) throw eventstore::LogCorrupt("no stream holds customer " + charge.customer.text());
  const auto customer = fold_existing<domain::Customer>(log_, *holder, delivery.position);
  const WebhookFacts facts{delivery.event, charge.updated_at, charge,
                           customer.details ? &*customer.details : nullptr};
  return webhook_body(facts, delivery.version);
}

WebhookPost WebhookComposer::compose(const projections::Delivery& delivery, const domain::Channel& channel,
                                     unsigned attempt, domain::Timestamp sent_at) const {
  const eventstore::HmacSha256 key(projections::open_channel_secret(channel.id, channel.secret, keyring_));
  WebhookPost post;
  post.body = body_of(delivery);
  post.headers = {{"X-Webhook-Signature", sign_webhook(delivery.version, key, post.body, sent_at)},
                  {"X-Webhook-Timestamp", domain::to_iso8601(sent_at)},
                  {"X-Webhook-Id", delivery.id.text()},
                  {"X-Webhook-Attempt", std::to_string(attempt)},
                  {"X-Webhook-Event", std::string(domain::to_string(delivery.event))},
                  {"X-Webhook-Sequence", std::to_string(delivery.sequence)}};
  return post;
}

}  // namespace pixledger::workers
