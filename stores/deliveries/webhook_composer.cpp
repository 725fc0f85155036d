#include "stores/deliveries/webhook_composer.h"

#include <span>
#include <utility>

#include "eventstore/codec/codec.h"
#include "eventstore/proof/event_id.h"
#include "stores/deliveries/channel_secret.h"
#include "stores/deliveries/webhook_payload.h"
#include "stores/deliveries/webhook_signature.h"

namespace pixledger::stores {
namespace {

eventstore::StoredEvent event_at(const eventstore::Log& log, Position position) {
  auto stored = log.read_after(Position(position.value() - 1), 1);
  if (stored.empty() || stored.front().position != position)
    throw eventstore::LogCorrupt("no event at position " + std::to_string(position.value()));
  return std::move(stored.front());
}

template <class Aggregate>
const Aggregate& existing(const eventstore::StateHistory::Shared& state, const domain::StreamName& stream) {
  const auto* aggregate = state ? std::get_if<Aggregate>(state.get()) : nullptr;
  if (!aggregate)
    throw eventstore::LogCorrupt("the stream " + stream.text() + " is empty at a webhook's position");
  return *aggregate;
}

std::string joined(std::span<const std::string> signatures) {
  std::string text;
  for (const auto& signature : signatures) {
    if (!text.empty()) text += ' ';
    text += signature;
  }
  return text;
}

// The oldest secret signs what every receiver looks at. Rotated more than once within a grace, there are some
// between it and the newest.
void add_signatures(WebhookPost& post, domain::WebhookVersion version, const SigningSecrets& secrets,
                    Timestamp sent_at) {
  std::vector<std::string> signatures;
  for (const auto& secret : secrets)
    signatures.push_back(sign_webhook(version, HmacSha256(secret), post.body, sent_at));
  post.headers.emplace_back("X-Webhook-Signature", signatures.front());
  if (signatures.size() == 1) return;
  post.headers.emplace_back("X-Webhook-Signature-Next", signatures.back());
  const auto between = std::span(signatures).subspan(1, signatures.size() - 2);
  if (!between.empty()) post.headers.emplace_back("X-Webhook-Signature-Between", joined(between));
}

// Those of Standard Webhooks. A secret that is no base64, which only `listen` may be given, signs none.
void add_standard_headers(WebhookPost& post, const DeliveryId& id, const SigningSecrets& secrets,
                          Timestamp sent_at) {
  std::vector<std::string> signatures;
  for (const auto& secret : secrets) {
    if (auto signature = sign_standard_webhook(secret, id.text(), sent_at, post.body))
      signatures.push_back(*std::move(signature));
  }
  if (signatures.empty()) return;
  post.headers.emplace_back("webhook-id", id.text());
  post.headers.emplace_back("webhook-timestamp", std::to_string(sent_at.millis() / 1000));
  post.headers.emplace_back("webhook-signature", joined(signatures));
}

}  // namespace

SigningSecrets signing_secrets(const domain::Channel& channel, const eventstore::Keyring& keyring,
                               Timestamp now) {
  auto sealed = domain::old_secrets(channel, now);
  sealed.push_back(&channel.secret);
  SigningSecrets secrets;
  for (const auto* secret : sealed) secrets.push_back(open_channel_secret(channel.id, *secret, keyring));
  return secrets;
}

std::string WebhookComposer::body_of(const Delivery& delivery) {
  const auto stored = event_at(log_, delivery.position);
  // v1 does not show it.
  std::string event_id;
  if (delivery.version == domain::WebhookVersion::kV2)
    event_id = eventstore::EventIds(keyring_, log_, ended_epochs_, delivery.project).of(stored);
  if (delivery.is_test())
    return webhook_test_body({.event_id = event_id,
                              .channel = delivery.channel,
                              .requested_at = delivery.created_at,
                              .environment = delivery.environment},
                             delivery.version);
  const auto event = eventstore::decode(stored);
  if (delivery.event == domain::WebhookEvent::kStoreChanged) return store_body(event, event_id);
  return charge_body(delivery, event, event_id);
}

std::string WebhookComposer::charge_body(const Delivery& delivery, const domain::RecordedEvent& event,
                                         const std::string& event_id) {
  const auto* recorded = std::get_if<domain::ChargeEvent>(&event.event);
  if (!recorded) throw eventstore::LogCorrupt("a webhook's position holds no event of a charge");
  // First the state before, from which the one after is a step.
  const auto before = history_.at(event.stream, Position(event.position.value() - 1));
  const auto after = history_.at(event.stream, event.position);
  const auto& charge = existing<domain::Charge>(after, event.stream);
  std::optional<domain::UnappliedPayment> payment;
  if (event.version > 1)
    payment = payment_told(*recorded, event.recorded_at, existing<domain::Charge>(before, event.stream));
  const auto customer = customer_of(charge, event.position);
  const auto* details = customer ? &std::get<domain::Customer>(*customer).details : nullptr;
  return webhook_body({.event = *delivery.event,
                       .event_id = event_id,
                       .occurred_at = event.recorded_at,
                       .recorded = *recorded,
                       .charge = charge,
                       .payment = payment ? &*payment : nullptr,
                       .customer = details && *details ? &**details : nullptr},
                      delivery.version);
}

std::string WebhookComposer::store_body(const domain::RecordedEvent& event, const std::string& event_id) {
  const auto before = history_.at(event.stream, Position(event.position.value() - 1));
  const auto after = history_.at(event.stream, event.position);
  return store_webhook_body({.event_id = event_id,
                             .occurred_at = event.recorded_at,
                             .project = event.project,
                             .before = existing<domain::Project>(before, event.stream).settings,
                             .after = existing<domain::Project>(after, event.stream).settings});
}

// As of the position; null when their data has been erased, by then or since.
eventstore::StateHistory::Shared WebhookComposer::customer_of(const domain::Charge& charge,
                                                              Position position) {
  const auto stream = log_.claim_holder(domain::customer_claim(charge.customer));
  if (!stream) throw eventstore::LogCorrupt("no stream holds customer " + charge.customer.text());
  const auto is_theirs = [&](const eventstore::StateHistory::Shared& state) {
    return existing<domain::Customer>(state, *stream).id == charge.customer;
  };
  const auto now = states_.find(*stream, log_.head());
  // Once they are erased, their document may have registered somebody else in the same stream.
  if (!is_theirs(now) || std::get<domain::Customer>(*now).erased_at) return nullptr;
  auto then = history_.at(*stream, position);
  if (!is_theirs(then))
    throw eventstore::LogCorrupt("a charge came before its customer " + charge.customer.text());
  return then;
}

WebhookPost WebhookComposer::compose(const Delivery& delivery, const SigningSecrets& secrets,
                                     unsigned attempt, Timestamp sent_at) {
  return signed_post(body_of(delivery), delivery, secrets, attempt, sent_at);
}

WebhookPost signed_post(std::string body, const Delivery& delivery, const SigningSecrets& secrets,
                        unsigned attempt, Timestamp sent_at) {
  WebhookPost post;
  post.body = std::move(body);
  post.headers = {{"X-Webhook-Timestamp", to_iso8601(sent_at)},
                  {"X-Webhook-Id", delivery.id.text()},
                  {"X-Webhook-Attempt", std::to_string(attempt)},
                  {"X-Webhook-Event", std::string(event_name(delivery))}};
  add_signatures(post, delivery.version, secrets, sent_at);
  if (!delivery.is_test()) post.headers.emplace_back("X-Webhook-Sequence", std::to_string(delivery.sequence));
  if (delivery.version == domain::WebhookVersion::kV2)
    add_standard_headers(post, delivery.id, secrets, sent_at);
  return post;
}

}  // namespace pixledger::stores
