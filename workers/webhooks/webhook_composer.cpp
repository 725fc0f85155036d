#include "workers/webhooks/webhook_composer.h"

#include "eventstore/reading/erasure.h"
#include "eventstore/reading/state_reader.h"
#include "projections/deliveries/channel_secret.h"
#include "workers/webhooks/webhook_payload.h"
#include "workers/webhooks/webhook_signature.h"

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

SigningSecrets signing_secrets(const domain::Channel& channel, const eventstore::Keyring& keyring,
                               domain::Timestamp now) {
  auto current = projections::open_channel_secret(channel.id, channel.secret, keyring);
  const auto* old = domain::old_secret(channel, now);
  if (!old) return {std::move(current), std::nullopt};
  return {projections::open_channel_secret(channel.id, *old, keyring), std::move(current)};
}

std::string WebhookComposer::body_of(const projections::Delivery& delivery) const {
  if (!delivery.event || !delivery.charge)
    return webhook_test_body(
        {delivery.channel, delivery.created_at, delivery.environment == domain::Environment::kSandbox},
        delivery.version);
  const auto charge =
      fold_existing<domain::Charge>(log_, domain::charge_stream(*delivery.charge), delivery.position);
  const auto customer = eventstore::find_customer(log_, charge.customer, delivery.position);
  if (!customer) throw eventstore::LogCorrupt("no stream holds customer " + charge.customer.text());
  const WebhookFacts facts{*delivery.event, charge.updated_at, charge,
                           customer->details ? &*customer->details : nullptr};
  return webhook_body(facts, delivery.version);
}

WebhookPost WebhookComposer::compose(const projections::Delivery& delivery, const SigningSecrets& secrets,
                                     unsigned attempt, domain::Timestamp sent_at) const {
  const auto signed_with = [&](const std::string& secret, const std::string& body) {
    return sign_webhook(delivery.version, eventstore::HmacSha256(secret), body, sent_at);
  };
  WebhookPost post;
  post.body = body_of(delivery);
  post.headers = {{"X-Webhook-Signature", signed_with(secrets.secret, post.body)},
                  {"X-Webhook-Timestamp", domain::to_iso8601(sent_at)},
                  {"X-Webhook-Id", delivery.id.text()},
                  {"X-Webhook-Attempt", std::to_string(attempt)},
                  {"X-Webhook-Event", std::string(projections::event_name(delivery))}};
  if (secrets.next)
    post.headers.emplace_back("X-Webhook-Signature-Next", signed_with(*secrets.next, post.body));
  if (delivery.charge) post.headers.emplace_back("X-Webhook-Sequence", std::to_string(delivery.sequence));
  return post;
}

}  // namespace pixledger::workers
