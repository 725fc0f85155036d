#include "http/api/checkout/checkout_json.h"

namespace pixledger::http {

void write_checkout(Json& json, const CheckoutShown& shown) {
  const auto& session = shown.session;
  const auto* newest = domain::newest_charge(session);
  json.field("id", session.id).field("url", shown.url);
  json.field("status", domain::status_at(session, shown.now));
  json.field("environment", session.environment);
  json.field("transactionId", newest ? std::optional(newest->id.text()) : std::nullopt);
  json.field("paidTransactionId", session.paid ? std::optional(session.paid->text()) : std::nullopt);
  json.key("payment").begin_object();
  json.field("amountCents", session.amount).field("product", session.product);
  json.field("quantity", session.quantity).field("expirationDays", session.expiration_days);
  json.end_object();
  json.field("originDomain", session.origin_host);
  json.field("externalId", session.external_id ? session.external_id->text() : session.id.text());
  json.field("successUrl", session.success_url).field("cancelUrl", session.cancel_url);
  json.field("locale", session.locale);
  json.field("webhookUrl", shown.channel ? std::optional(shown.channel->url) : std::nullopt);
  json.field("webhookApiVersion", session.webhook_version);
  json.field("expiresAt", session.expires_at);
  json.field("createdAt", session.created_at).field("updatedAt", session.updated_at);
}

}  // namespace pixledger::http
