#include "eventstore/codec/event_json.h"

#include "eventstore/codec/address_fields.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/settings_json.h"

namespace pixledger::eventstore {
namespace {

using domain::Timestamp;

std::string text_of(Timestamp time) { return domain::to_iso8601(time); }
std::string text_of(const domain::IpAddress& address) { return address.text(); }
template <class Text>
auto text_of(const Text& value) -> decltype(value.text()) {
  return value.text();
}

// null when there is none.
template <class Value>
void text_or_null(Json& json, std::string_view name, const std::optional<Value>& value) {
  json.key(name);
  if (value) {
    json.value(text_of(*value));
  } else {
    json.null();
  }
}

void cents_or_null(Json& json, std::string_view name, const std::optional<domain::Cents>& amount) {
  std::optional<std::int64_t> cents;
  if (amount) cents = amount->value();
  json.field(name, cents);
}

void write_address(Json& json, const domain::Address& address) {
  json.key("address").begin_object();
  for_each_address_field(
      address, [&json](std::string_view name, const auto& field) { text_or_null(json, name, field); });
  json.end_object();
}

void write_details(Json& json, const std::optional<domain::CustomerDetails>& details) {
  json.key("details");
  if (!details) {
    json.null();
    return;
  }
  json.begin_object()
      .field("name", details->name.text())
      .field("document", details->document.text())
      .field("email", details->email.text())
      .field("phone", details->phone.text());
  write_address(json, details->address);
  json.end_object();
}

void write_settings(Json& json, const domain::StoreSettings& settings) {
  json.key("settings").begin_object();
  write_settings_fields(json, settings);
  json.end_object();
}

// The fields of `data`, one overload for each event.
struct DataWriter {
  Json& json;

  void operator()(const domain::ProjectEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ProjectCreated& event) const {
    json.field("projectId", event.id.text());
    write_settings(json, event.settings);
    json.key("connections");
    write_connections(json, event.connections);
  }
  void operator()(const domain::StoreSettingsChanged& event) const { write_settings(json, event.settings); }
  void operator()(const domain::ConnectionAdded& event) const {
    write_connection_fields(json, event.connection);
  }

  void operator()(const domain::ApiKeyEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ApiKeyIssued& event) const {
    json.field("keyId", event.id.text())
        .field("projectId", event.project.text())
        .field("environment", domain::to_string(event.environment))
        .field("scopes", event.scopes.text())
        .field("sandboxOnly", event.sandbox_only);
    text_or_null(json, "expiresAt", event.expires_at);
    json.key("allowedCallers").begin_array();
    for (const domain::Cidr& range : event.allowed_callers) json.value(range.text());
    json.end_array();
  }
  void operator()(const domain::ApiKeyExpirySet& event) const {
    json.field("expiresAt", text_of(event.expires_at));
  }
  void operator()(const domain::ApiKeyRevoked&) const {}

  void operator()(const domain::ChannelEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ChannelAdded& event) const {
    json.field("channelId", event.id.text()).field("projectId", event.project.text());
    text_or_null(json, "name", event.name);
    json.field("url", event.url)
        .field("events", event.events.text())
        .field("apiVersion", domain::to_string(event.version))
        .field("secretHint", event.secret_hint)
        .field("sandboxOnly", event.sandbox_only);
  }
  void operator()(const domain::ChannelChanged& event) const {
    text_or_null(json, "name", event.name);
    json.field("url", event.url)
        .field("events", event.events.text())
        .field("apiVersion", domain::to_string(event.version))
        .field("isActive", event.is_active);
  }
  void operator()(const domain::ChannelDeleted& event) const {
    json.field("channelId", event.id.text()).field("projectId", event.project.text());
  }
  void operator()(const domain::ChannelSecretRotated& event) const {
    json.field("secretHint", event.secret_hint).field("graceEndsAt", text_of(event.grace_ends_at));
  }
  void operator()(const domain::ChannelDisabled& event) const {
    json.field("reason", domain::to_string(event.reason));
  }
  void operator()(const domain::ChannelTestRequested& event) const {
    json.field("deliveryId", event.delivery.text())
        .field("environment", domain::to_string(event.environment));
  }
  void operator()(const domain::DeliveryRedeliveryRequested& event) const {
    json.field("deliveryId", event.delivery.text()).field("attempts", std::uint64_t{event.attempts});
  }
  void operator()(const domain::DeliveriesRecoveryRequested& event) const {
    json.field("since", text_of(event.since))
        .field("until", text_of(event.until))
        .field("queued", event.queued);
  }

  void operator()(const domain::BlocklistEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::BlocklistEntryAdded& event) const {
    json.field("entryId", event.id.text()).field("projectId", event.project.text());
    std::optional<std::string> type;
    std::optional<std::string> value;
    if (event.value) {
      type = std::string(domain::type_of(*event.value));
      value = domain::text_of(*event.value);
    }
    json.field("type", type).field("value", value);
    text_or_null(json, "reason", event.reason);
  }
  void operator()(const domain::BlocklistEntryRemoved& event) const {
    json.field("entryId", event.id.text());
  }

  void operator()(const domain::CustomerEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::CustomerRegistered& event) const {
    json.field("customerId", event.id.text()).field("projectId", event.project.text());
    write_details(json, event.details);
  }
  void operator()(const domain::CustomerUpdated& event) const { write_details(json, event.details); }
  void operator()(const domain::CustomerBlocked& event) const {
    json.field("blockType", domain::to_string(event.type));
    text_or_null(json, "reason", event.reason);
    text_or_null(json, "expiresAt", event.expires_at);
  }
  void operator()(const domain::CustomerUnblocked&) const {}
  void operator()(const domain::CustomerErased& event) const {
    json.field("customerId", event.id.text());
    text_or_null(json, "reason", event.reason);
  }

  void operator()(const domain::ChargeEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ChargeCreated& event) const {
    json.field("transactionId", event.id.text())
        .field("projectId", event.project.text())
        .field("environment", domain::to_string(event.environment))
        .field("customerId", event.customer.text())
        .field("connectionId", event.connection.text());
    text_or_null(json, "externalId", event.external_id);
    json.field("amountCents", event.amount.value())
        .field("product", event.product.text())
        .field("quantity", event.quantity)
        .field("originDomain", event.origin_host.text())
        .field("expiresAt", text_of(event.expires_at))
        .field("pixCode", event.pix_code);
    text_or_null(json, "customerIp", event.customer_ip);
  }
  void operator()(const domain::ChargePaid& event) const {
    json.field("endToEndId", event.end_to_end_id.text())
        .field("amountCents", event.amount.value())
        .field("paidAt", text_of(event.paid_at));
    cents_or_null(json, "feeCents", event.fee);
  }
  void operator()(const domain::ChargeProcessingStarted&) const {}
  void operator()(const domain::ChargeExpired&) const {}
  void operator()(const domain::ChargeCancelled&) const {}
  void operator()(const domain::ChargeFailed& event) const { text_or_null(json, "reason", event.reason); }
  void operator()(const domain::ChargeRefunded& event) const {
    json.field("amountCents", event.amount.value());
    text_or_null(json, "reason", event.reason);
  }
  void operator()(const domain::PaymentLeftUnapplied& event) const {
    json.field("endToEndId", event.end_to_end_id.text())
        .field("amountCents", event.amount.value())
        .field("paidAt", text_of(event.paid_at))
        .field("flag", domain::to_string(event.flag));
  }
  void operator()(const domain::UnappliedPaymentAccepted& event) const {
    json.field("endToEndId", event.end_to_end_id.text());
    cents_or_null(json, "feeCents", event.fee);
  }
  void operator()(const domain::UnappliedPaymentReturned& event) const {
    json.field("endToEndId", event.end_to_end_id.text());
    text_or_null(json, "reason", event.reason);
  }

  void operator()(const domain::RefusalEvent& event) const { std::visit(*this, event); }
  void operator()(const domain::ChargeRefused& event) const {
    json.field("projectId", event.project.text());
    text_or_null(json, "customerId", event.customer);
    json.field("fraudType", domain::to_string(event.type))
        .field("amountCents", event.amount.value())
        .field("product", event.product.text());
  }
};

}  // namespace

void write_event(Json& json, const domain::RecordedEvent& event) {
  std::optional<std::string> request_id;
  if (!event.request_id.empty()) request_id = event.request_id;
  json.begin_object()
      .field("position", event.position.value())
      .field("stream", event.stream.text())
      .field("version", event.version)
      .field("type", type_name(event.event))
      .field("recordedAt", text_of(event.recorded_at))
      .field("actor", event.actor)
      .field("requestId", request_id);
  json.key("data").begin_object();
  std::visit(DataWriter{json}, event.event);
  json.end_object().end_object();
}

}  // namespace pixledger::eventstore
