#include "http/api/events/event_json.h"

#include "eventstore/codec/address_fields.h"
#include "eventstore/platform/json.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::http {
namespace {

using domain::Charge;
using domain::RecordedEvent;

// What merchants call an event: as webhooks do, where there is one.
struct NameOf {
  const std::optional<Charge>& charge;  // with the event applied, when it is a charge's
  using Name = std::string_view;

  Name operator()(const domain::ProjectEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ProjectCreated&) const { return "store.created"; }
  Name operator()(const domain::StoreSettingsChanged&) const { return "store.changed"; }
  Name operator()(const domain::ConnectionAdded&) const { return "connection.added"; }

  Name operator()(const domain::ApiKeyEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ApiKeyIssued&) const { return "api_key.issued"; }
  Name operator()(const domain::ApiKeyExpirySet&) const { return "api_key.expiry_set"; }
  Name operator()(const domain::ApiKeyRevoked&) const { return "api_key.revoked"; }

  Name operator()(const domain::ChannelEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ChannelAdded&) const { return "channel.added"; }
  Name operator()(const domain::ChannelChanged&) const { return "channel.changed"; }
  Name operator()(const domain::ChannelDeleted&) const { return "channel.deleted"; }
  Name operator()(const domain::ChannelSecretRotated&) const { return "channel.secret_rotated"; }
  Name operator()(const domain::ChannelDisabled&) const { return "channel.disabled"; }
  Name operator()(const domain::ChannelTestRequested&) const { return "channel.test_requested"; }
  Name operator()(const domain::DeliveryRedeliveryRequested&) const { return "channel.redelivery_requested"; }
  Name operator()(const domain::DeliveriesRecoveryRequested&) const { return "channel.recovery_requested"; }

  Name operator()(const domain::BlocklistEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::BlocklistEntryAdded&) const { return "blocklist.added"; }
  Name operator()(const domain::BlocklistEntryRemoved&) const { return "blocklist.removed"; }

  Name operator()(const domain::CustomerEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::CustomerRegistered&) const { return "customer.created"; }
  Name operator()(const domain::CustomerUpdated&) const { return "customer.updated"; }
  Name operator()(const domain::CustomerBlocked&) const { return "customer.blocked"; }
  Name operator()(const domain::CustomerUnblocked&) const { return "customer.unblocked"; }
  Name operator()(const domain::CustomerErased&) const { return "customer.erased"; }

  Name operator()(const domain::ChargeEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ChargeCreated&) const { return "transaction.created"; }
  Name operator()(const domain::ChargePaid&) const { return "transaction.paid"; }
  Name operator()(const domain::ChargeProcessingStarted&) const { return "transaction.processing"; }
  Name operator()(const domain::ChargeExpired&) const { return "transaction.expired"; }
  Name operator()(const domain::ChargeCancelled&) const { return "transaction.cancelled"; }
  Name operator()(const domain::ChargeFailed&) const { return "transaction.failed"; }
  Name operator()(const domain::ChargeRefunded&) const {
    return charge->status == domain::ChargeStatus::kRefunded ? "transaction.refunded"
                                                             : "transaction.partially_refunded";
  }
  Name operator()(const domain::PaymentLeftUnapplied&) const { return "payment.unapplied"; }
  Name operator()(const domain::UnappliedPaymentAccepted&) const { return "transaction.paid"; }
  Name operator()(const domain::UnappliedPaymentReturned&) const { return "payment.returned"; }

  Name operator()(const domain::RefusalEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ChargeRefused&) const { return "transaction.refused"; }
};

void cents_or_null(eventstore::Json& json, std::string_view name,
                   const std::optional<domain::Cents>& amount) {
  if (amount) {
    json.field(name, amount->value());
  } else {
    json.null(name);
  }
}

void write_details(eventstore::Json& json, const std::optional<domain::CustomerDetails>& details) {
  if (!details) {
    for (const auto* name : {"name", "document", "email", "phone", "street", "streetNumber", "neighborhood",
                             "complement", "zipCode", "city", "state", "country"})
      json.null(name);
    return;
  }
  json.field("name", details->name);
  json.field("document", details->document);
  json.field("email", details->email);
  json.field("phone", details->phone);
  eventstore::for_each_address_field(
      details->address, [&json](std::string_view name, const auto& field) { json.field(name, field); });
}

void write_settings(eventstore::Json& json, const domain::StoreSettings& settings) {
  json.field("name", settings.name);
  json.field("devMode", settings.dev_mode);
  json.field("pixExpirationMinutes", settings.pix_expiration_minutes);
  json.field("maxTransactionAmountCents", settings.max_transaction_amount);
}

void write_payment(eventstore::Json& json, const domain::EndToEndId& id, domain::Cents amount,
                   domain::Timestamp paid_at) {
  json.field("endToEndId", id);
  json.field("amountCents", amount);
  json.field("paidAt", paid_at);
}

// The members of `data`.
struct DataWriter {
  eventstore::Json& json;
  const RecordedEvent& recorded;
  const std::optional<Charge>& charge;

  void write_key_id() const { json.field("keyId", recorded.stream.key()); }
  void write_channel_id() const { json.field("channelId", recorded.stream.key()); }

  // Of an event that says all of what a merchant can change.
  template <class ChannelFacts>
  void write_channel_fields(const ChannelFacts& event) const {
    write_channel_id();
    json.field("name", event.name);
    json.field("url", event.url);
    json.field("events", event.events);
    json.field("webhookApiVersion", event.version);
  }

  void operator()(const domain::ProjectEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ProjectCreated& event) const { write_settings(json, event.settings); }
  void operator()(const domain::StoreSettingsChanged& event) const { write_settings(json, event.settings); }
  void operator()(const domain::ConnectionAdded& event) const {
    const auto& connection = event.connection;
    json.field("connectionId", connection.id).field("alias", connection.alias);
    json.field("providerId", connection.provider_id).field("providerName", connection.provider_name);
    json.field("environment", connection.environment);
  }

  void operator()(const domain::ApiKeyEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ApiKeyIssued& event) const {
    write_key_id();
    json.field("environment", event.environment);
    json.field("scopes", event.scopes);
    json.field("sandboxOnly", event.sandbox_only);
    json.field("expiresAt", event.expires_at);
  }
  void operator()(const domain::ApiKeyExpirySet& event) const {
    write_key_id();
    json.field("expiresAt", event.expires_at);
  }
  void operator()(const domain::ApiKeyRevoked&) const { write_key_id(); }

  void operator()(const domain::ChannelEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ChannelAdded& event) const { write_channel_fields(event); }
  void operator()(const domain::ChannelChanged& event) const {
    write_channel_fields(event);
    json.field("isActive", event.is_active);
  }
  void operator()(const domain::ChannelDeleted&) const { write_channel_id(); }
  void operator()(const domain::ChannelSecretRotated& event) const {
    write_channel_id();
    json.field("graceEndsAt", event.grace_ends_at);
  }
  void operator()(const domain::ChannelDisabled& event) const {
    write_channel_id();
    json.field("reason", event.reason);
  }
  void operator()(const domain::ChannelTestRequested& event) const {
    write_channel_id();
    json.field("deliveryId", event.delivery);
    json.field("environment", event.environment);
  }
  void operator()(const domain::DeliveryRedeliveryRequested& event) const {
    write_channel_id();
    json.field("deliveryId", event.delivery);
  }
  void operator()(const domain::DeliveriesRecoveryRequested& event) const {
    write_channel_id();
    json.field("since", event.since);
    json.field("until", event.until);
    json.field("queued", event.queued);
  }

  void operator()(const domain::BlocklistEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::BlocklistEntryAdded& event) const {
    json.field("entryId", event.id);
    if (event.value) {
      json.field("type", domain::type_of(*event.value)).field("value", domain::text_of(*event.value));
    } else {
      json.null("type").null("value");
    }
    json.field("reason", event.reason);
  }
  void operator()(const domain::BlocklistEntryRemoved& event) const { json.field("entryId", event.id); }

  void operator()(const domain::CustomerEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::CustomerRegistered& event) const { write_details(json, event.details); }
  void operator()(const domain::CustomerUpdated& event) const { write_details(json, event.details); }
  void operator()(const domain::CustomerBlocked& event) const {
    json.field("blockType", event.type);
    json.field("reason", event.reason);
    json.field("blockExpiresAt", event.expires_at);
  }
  void operator()(const domain::CustomerUnblocked&) const {}
  // The operator's reason is not for merchants.
  void operator()(const domain::CustomerErased&) const {}

  void operator()(const domain::ChargeEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ChargeCreated& event) const {
    json.field("environment", event.environment);
    json.field("externalId", event.external_id ? event.external_id->text() : event.id.text());
    json.field("amountCents", event.amount);
    json.field("product", event.product);
    json.field("quantity", event.quantity);
    json.field("originDomain", event.origin_host);
    json.field("connectionId", event.connection);
    json.field("expirationDate", event.expires_at);
    json.field("pixCode", event.pix_code);
  }
  void operator()(const domain::ChargePaid& event) const {
    write_payment(json, event.end_to_end_id, event.amount, event.paid_at);
    cents_or_null(json, "feeCents", event.fee);
  }
  void operator()(const domain::ChargeProcessingStarted&) const {}
  void operator()(const domain::ChargeExpired&) const {}
  void operator()(const domain::ChargeCancelled&) const {}
  void operator()(const domain::ChargeFailed& event) const { json.field("reason", event.reason); }
  void operator()(const domain::ChargeRefunded& event) const {
    json.field("amountCents", event.amount);
    json.field("refundedAmountCents", charge->refunded);
    json.field("reason", event.reason);
  }
  void operator()(const domain::PaymentLeftUnapplied& event) const {
    write_payment(json, event.end_to_end_id, event.amount, event.paid_at);
    json.field("flag", event.flag);
  }
  void operator()(const domain::UnappliedPaymentAccepted& event) const {
    if (!charge->payment)
      throw eventstore::LogCorrupt("a payment was accepted that its charge does not have");
    write_payment(json, event.end_to_end_id, charge->payment->amount, charge->payment->paid_at);
    cents_or_null(json, "feeCents", event.fee);
  }
  void operator()(const domain::UnappliedPaymentReturned& event) const {
    json.field("endToEndId", event.end_to_end_id);
    json.field("reason", event.reason);
  }

  void operator()(const domain::RefusalEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ChargeRefused& event) const {
    json.field("fraudType", event.type);
    json.field("amountCents", event.amount);
    json.field("product", event.product);
  }
};

std::optional<Charge> charge_of(const eventstore::Log& log, const RecordedEvent& event) {
  if (event.stream.kind() != domain::StreamKind::kCharge) return std::nullopt;
  auto charge = eventstore::fold_as<Charge>(log, event.stream, event.position);
  if (!charge) throw eventstore::LogCorrupt("an event of a charge that was never created");
  return charge;
}

std::optional<std::string> customer_of(const eventstore::Log& log, const RecordedEvent& event,
                                       const std::optional<Charge>& charge) {
  if (charge) return charge->customer.text();
  if (const auto* refusal = std::get_if<domain::RefusalEvent>(&event.event)) {
    const auto& customer = std::get<domain::ChargeRefused>(*refusal).customer;
    return customer ? std::optional(customer->text()) : std::nullopt;
  }
  if (event.stream.kind() != domain::StreamKind::kCustomer) return std::nullopt;
  const auto customer = eventstore::fold_as<domain::Customer>(log, event.stream, event.position);
  return customer ? std::optional(customer->id.text()) : std::nullopt;
}

}  // namespace

void write_event(eventstore::Json& json, const eventstore::Log& log, const RecordedEvent& event) {
  const auto charge = charge_of(log, event);
  json.field("event", std::visit(NameOf{charge}, event.event));
  json.field("transactionId", charge ? std::optional(charge->id.text()) : std::nullopt);
  json.field("customerId", customer_of(log, event, charge));
  json.field("occurredAt", event.recorded_at);
  json.key("data").begin_object();
  std::visit(DataWriter{json, event, charge}, event.event);
  json.end_object();
}

}  // namespace pixledger::http
