#include "workers/webhooks/webhook_payload.h"

#include <string_view>

#include "domain/aggregates/field.h"
#include "domain/values/erased_name.h"
#include "eventstore/platform/json.h"
#include "projections/deliveries/delivery.h"

namespace pixledger::workers {
namespace {

using domain::WebhookEvent;
using domain::WebhookVersion;
using eventstore::Json;

struct Wording {
  std::string title;
  std::string message;
};

Wording wording_of(WebhookEvent event, domain::Cents amount) {
  const std::string reais = "R$ " + domain::to_decimal(amount);
  switch (event) {
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
  }
  return {};
}

// Up to the data, which follow.
void begin_envelope(Json& json, WebhookVersion version, std::string_view event, std::string_view type,
                    const Wording& wording) {
  json.begin_object().field("event", event);
  if (version == WebhookVersion::kV2) json.field("apiVersion", version);
  json.field("type", type).field("title", wording.title).field("message", wording.message).key("data");
}

std::string end_envelope(Json& json, domain::Timestamp timestamp) {
  return json.field("timestamp", timestamp).end_object().take();
}

void write_amount(Json& json, WebhookVersion version, domain::Cents amount) {
  if (version == WebhookVersion::kV1)
    json.key("amount").reais(amount);
  else
    json.field("amountCents", amount);
}

void write_fee(Json& json, WebhookVersion version, domain::Cents fee) {
  json.key("fee").begin_object().key("amount").reais(fee);
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
  json.field("originDomain", charge.origin_host).end_object();
}

}  // namespace

std::string webhook_body(const WebhookFacts& facts, WebhookVersion version) {
  Json json;
  begin_envelope(json, version, domain::to_string(facts.event), "transaction",
                 wording_of(facts.event, facts.charge.amount));
  write_data(json, version, facts);
  return end_envelope(json, facts.occurred_at);
}

std::string webhook_test_body(const WebhookTestFacts& facts, WebhookVersion version) {
  Json json;
  begin_envelope(json, version, projections::kTestEventName, "webhook",
                 {"Webhook test", "A test of this notification channel: nothing happened."});
  json.begin_object().field("channelId", facts.channel).field("isSandbox", facts.is_sandbox);
  json.field("createdAt", facts.requested_at).end_object();
  return end_envelope(json, facts.requested_at);
}

}  // namespace pixledger::workers
