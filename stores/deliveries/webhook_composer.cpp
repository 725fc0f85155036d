#include "stores/deliveries/webhook_composer.h"

#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/platform/json.h"
#include "base/text/text.h"
#include "domain/aggregates/field.h"
#include "domain/values/names.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/log/log.h"
#include "eventstore/proof/event_id.h"
#include "stores/deliveries/channels.h"
#include "stores/deliveries/delivery.h"

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

// The oldest secret's signature goes where every receiver checks it. After several rotations within a grace
// period, there are secrets between it and the newest.
void add_signatures(WebhookPost& post, domain::WebhookVersion version, const SigningSecrets& secrets,
                    Timestamp sent_at) {
  std::vector<std::string> signatures;
  for (const auto& secret : secrets)
    signatures.push_back(sign_webhook(version, HmacSha256(secret), post.body, sent_at));
  post.headers.emplace_back("X-Webhook-Signature", signatures.front());
  if (signatures.size() == 1) return;
  post.headers.emplace_back("X-Webhook-Signature-Next", signatures.back());
  const auto between = std::span(signatures).subspan(1, signatures.size() - 2);
  if (!between.empty()) post.headers.emplace_back("X-Webhook-Signature-Between", joined(between, " "));
}

// Standard Webhooks' headers. A secret that is not base64, which only `listen` accepts, signs none of them.
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
  post.headers.emplace_back("webhook-signature", joined(signatures, " "));
}

using domain::WebhookEvent;
using domain::WebhookVersion;

struct Wording {
  std::string title;
  std::string message;
};

std::string in_reais(domain::Cents amount) { return "R$ " + domain::to_decimal(amount); }

bool is_added(const WebhookFacts& facts) {
  return std::holds_alternative<domain::UnappliedPaymentAdded>(facts.recorded);
}

bool is_accepted(const WebhookFacts& facts) {
  return is_added(facts) || std::holds_alternative<domain::UnappliedPaymentAccepted>(facts.recorded);
}

std::optional<domain::Cents> refund_of(const WebhookFacts& facts) {
  const auto refund = domain::refund_done_by(facts.recorded, facts.charge);
  return refund ? std::optional(refund->amount) : std::nullopt;
}

Wording wording_of_settled(const WebhookFacts& facts) {
  const auto payment = "A payment of " + in_reais(facts.payment->amount) + " that had been kept aside ";
  if (is_added(facts))
    return {"Payment settled", payment + "counts for its PIX charge, beside the payment that it had."};
  return {"Payment settled",
          payment + (is_accepted(facts) ? "pays its PIX charge after all." : "went back to the payer.")};
}

Wording wording_of(const WebhookFacts& facts) {
  const std::string reais = in_reais(facts.charge.amount);
  switch (facts.event) {
    case WebhookEvent::kTransactionCreated:
      return {"Transaction created", "A PIX charge of " + reais + " was created and waits for its payment."};
    case WebhookEvent::kTransactionPaid:
      return {"Transaction paid", "The payment of a PIX charge of " + reais + " was confirmed."};
    case WebhookEvent::kTransactionExpired:
      return {"Transaction expired", "A PIX charge of " + reais + " expired unpaid."};
    case WebhookEvent::kTransactionRefunded:
      return {"Transaction refunded", "The payment of a PIX charge of " + reais + " was refunded."};
    case WebhookEvent::kTransactionCancelled:
      return {"Transaction cancelled", "A PIX charge of " + reais + " was cancelled."};
    case WebhookEvent::kTransactionFailed:
      // The specification's literal text.
      return {"transaction_failed", "transaction_failed"};
    case WebhookEvent::kTransactionPartiallyRefunded:
      return {"Transaction partially refunded", in_reais(refund_of(facts).value()) +
                                                    " of the payment of a PIX charge of " + reais +
                                                    " were refunded."};
    case WebhookEvent::kPaymentUnapplied:
      return {"Payment kept aside", "A payment of " + in_reais(facts.payment->amount) +
                                        " does not fit its PIX charge of " + reais + " and was kept aside."};
    case WebhookEvent::kPaymentSettled:
      return wording_of_settled(facts);
    case WebhookEvent::kStoreChanged:
      break;  // not about a charge
  }
  throw std::logic_error("a webhook about no charge");
}

// Writes the envelope up to the data.
void begin_envelope(Json& json, WebhookVersion version, std::string_view event, std::string_view type,
                    const Wording& wording) {
  json.begin_object().field("event", event);
  if (version == WebhookVersion::kV2) json.field("apiVersion", version);
  json.field("type", type).field("title", wording.title).field("message", wording.message).key("data");
}

std::string end_envelope(Json& json, Timestamp timestamp) {
  return json.field("timestamp", timestamp).end_object().take();
}

void write_amount(Json& json, WebhookVersion version, domain::Cents amount) {
  if (version == WebhookVersion::kV1)
    json.key("amount").decimal(domain::to_decimal(amount));
  else
    json.field("amountCents", amount);
}

void write_fee(Json& json, WebhookVersion version, domain::Cents fee) {
  json.key("fee").begin_object().key("amount").decimal(domain::to_decimal(fee));
  if (version == WebhookVersion::kV2) json.field("amountCents", fee);
  json.end_object();
}

void write_customer(Json& json, const domain::CustomerDetails* customer) {
  json.begin_object();
  if (customer) {
    json.field("name", customer->name).field("email", customer->email).field("phone", customer->phone);
    json.field("document", customer->document).field("documentType", customer->document.kind());
  } else {
    json.field("name", domain::kErasedName).null("email").null("phone").null("document").null("documentType");
  }
  json.key("address").begin_object();
  const auto address = customer ? customer->address : domain::Address{};
  domain::for_each_field<domain::Address>(
      [&](const auto& field) { json.field(field.name, field.of(address)); });
  json.end_object().end_object();
}

// Bodies never change; the status check shows which way the payment is returned.
void write_payment(Json& json, const domain::UnappliedPayment& payment) {
  json.key("payment").begin_object();
  json.field("endToEndId", payment.end_to_end_id).field("amountCents", payment.amount);
  json.field("paidAt", payment.paid_at).field("receivedAt", payment.received_at);
  json.field("flag", payment.flag).end_object();
}

void write_v2_data(Json& json, const WebhookFacts& facts) {
  const auto& charge = facts.charge;
  const auto* payment = charge.payment ? &*charge.payment : nullptr;
  json.field("eventId", facts.event_id);
  json.field("environment", charge.environment);
  json.field("status", charge.status);
  json.field("paidAt", payment ? std::optional(payment->paid_at) : std::nullopt);
  json.field("paidAmountCents", payment ? std::optional(payment->amount) : std::nullopt);
  json.field("refundedAmountCents", charge.refunded);
  json.field("endToEndId", payment ? std::optional(payment->end_to_end_id.text()) : std::nullopt);
  // The merchant's own texts are personal data of the customer too.
  json.field("metadata", facts.customer ? charge.metadata : domain::Metadata());
  if (charge.checkout_session) json.field("checkoutSessionId", *charge.checkout_session);
  if (const auto refund = refund_of(facts)) json.field("refundAmountCents", *refund);
  if (facts.event != WebhookEvent::kPaymentUnapplied && facts.event != WebhookEvent::kPaymentSettled) return;
  write_payment(json, *facts.payment);
  if (facts.event == WebhookEvent::kPaymentSettled)
    json.field("settlement", is_accepted(facts) ? "accepted" : "returned");
}

void write_data(Json& json, WebhookVersion version, const WebhookFacts& facts) {
  const auto& charge = facts.charge;
  json.begin_object().field("transactionId", charge.id);
  json.field("externalId", charge.external_id ? charge.external_id->text() : charge.id.text());
  json.field("product", charge.product);
  write_amount(json, version, charge.amount);
  json.field("customerName", facts.customer ? facts.customer->name.text() : domain::kErasedName);
  json.field("isSandbox", charge.environment == domain::Environment::kSandbox);
  json.field("createdAt", charge.created_at);
  if (facts.event == WebhookEvent::kTransactionCreated)
    json.field("pixCode", charge.pix_code).field("expirationDate", charge.expires_at);
  if (facts.event == WebhookEvent::kTransactionPaid && charge.payment && charge.payment->fee)
    write_fee(json, version, *charge.payment->fee);
  json.key("customer");
  write_customer(json, facts.customer);
  json.field("originDomain", charge.origin_host);
  if (version == WebhookVersion::kV2) write_v2_data(json, facts);
  json.end_object();
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
  // v1 does not contain it.
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
  // Reads the state before first; the state after follows from it in one step.
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

// As of the position; null if their data has been erased, by then or since.
eventstore::StateHistory::Shared WebhookComposer::customer_of(const domain::Charge& charge,
                                                              Position position) {
  const auto stream = log_.claim_holder(domain::customer_claim(charge.customer));
  if (!stream) throw eventstore::LogCorrupt("no stream holds customer " + charge.customer.text());
  const auto is_theirs = [&](const eventstore::StateHistory::Shared& state) {
    return existing<domain::Customer>(state, *stream).id == charge.customer;
  };
  const auto now = states_.find(*stream, log_.head());
  // After an erasure, the same stream may have another customer with that document.
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

std::optional<domain::UnappliedPayment> payment_told(const domain::ChargeEvent& event, Timestamp recorded_at,
                                                     const domain::Charge& before) {
  if (const auto* kept = std::get_if<domain::PaymentLeftUnapplied>(&event))
    return domain::UnappliedPayment{.end_to_end_id = kept->end_to_end_id,
                                    .amount = kept->amount,
                                    .paid_at = kept->paid_at,
                                    .received_at = recorded_at,
                                    .flag = kept->flag};
  const domain::EndToEndId* settled = nullptr;
  if (const auto* accepted = std::get_if<domain::UnappliedPaymentAccepted>(&event))
    settled = &accepted->end_to_end_id;
  if (const auto* added = std::get_if<domain::UnappliedPaymentAdded>(&event)) settled = &added->end_to_end_id;
  if (const auto* returned = std::get_if<domain::UnappliedPaymentReturned>(&event))
    settled = &returned->end_to_end_id;
  if (!settled) return std::nullopt;
  for (const auto& payment : before.unapplied) {
    if (payment.end_to_end_id == *settled) return payment;
  }
  throw eventstore::LogCorrupt("a payment was settled that its charge did not have");
}

std::string webhook_body(const WebhookFacts& facts, WebhookVersion version) {
  Json json;
  begin_envelope(json, version, domain::to_string(facts.event), "transaction", wording_of(facts));
  write_data(json, version, facts);
  return end_envelope(json, facts.occurred_at);
}

std::string store_webhook_body(const StoreWebhookFacts& facts) {
  Json json;
  begin_envelope(json, WebhookVersion::kV2, domain::to_string(WebhookEvent::kStoreChanged), "store",
                 {"Store changed", "Settings of the store were changed."});
  json.begin_object().field("storeId", facts.project).field("eventId", facts.event_id);
  eventstore::write_settings_change(json, facts.before, facts.after);
  json.end_object();
  return end_envelope(json, facts.occurred_at);
}

std::string webhook_test_body(const WebhookTestFacts& facts, WebhookVersion version) {
  Json json;
  begin_envelope(json, version, kTestEventName, "webhook",
                 {"Webhook test", "A test of this notification channel: nothing happened."});
  json.begin_object().field("channelId", facts.channel);
  json.field("isSandbox", facts.environment == domain::Environment::kSandbox);
  json.field("createdAt", facts.requested_at);
  if (version == WebhookVersion::kV2)
    json.field("eventId", facts.event_id).field("environment", facts.environment);
  json.end_object();
  return end_envelope(json, facts.requested_at);
}

}  // namespace pixledger::stores
