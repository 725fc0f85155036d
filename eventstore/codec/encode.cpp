#include <array>
#include <cstddef>
#include <flatbuffers/flatbuffers.h>

#include "eventstore/codec/codec.h"
#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/flat_bytes.h"
#include "eventstore/codec/schema_versions.h"
#include "eventstore/codec/upcast.h"

// Every text and vector is created in a statement of its own, never as an argument: the order of arguments is
// the compiler's choice, and the stored bytes follow the order of creation.
namespace pixledger::eventstore {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using stored::EventType;
using Text = Offset<flatbuffers::String>;

// What an event says about people; goes to bytes of its own, which can be erased.
struct PersonalFields {
  const domain::CustomerDetails* customer = nullptr;
  const domain::IpAddress* ip = nullptr;
  const domain::Label* reason = nullptr;
  const domain::BlocklistValue* blocklist_value = nullptr;

  bool any() const { return customer || ip || reason || blocklist_value; }
};

template <class T>
const T* address_of(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

std::optional<std::int64_t> number_of(const std::optional<Timestamp>& time) {
  return time ? std::optional(time->millis()) : std::nullopt;
}
std::optional<std::int64_t> number_of(const std::optional<domain::Cents>& amount) {
  return amount ? std::optional(amount->value()) : std::nullopt;
}
template <class Enum>
std::uint8_t number_of(Enum value) {
  return static_cast<std::uint8_t>(value);
}

template <class T>
Text text_of(FlatBufferBuilder& builder, const T& value) {
  return builder.CreateString(value.text());
}
template <class T>
Text text_of(FlatBufferBuilder& builder, const std::optional<T>& value) {
  return value ? builder.CreateString(value->text()) : Text();
}
Text text_of(FlatBufferBuilder& builder, const std::string& value) { return builder.CreateString(value); }

Offset<stored::StoreSettings> settings_of(FlatBufferBuilder& builder, const domain::StoreSettings& settings) {
  const auto name = text_of(builder, settings.name);
  const auto pix_key = text_of(builder, settings.pix_key);
  const auto merchant_name = text_of(builder, settings.merchant_name);
  const auto merchant_city = text_of(builder, settings.merchant_city);
  return stored::CreateStoreSettings(builder, name, pix_key, merchant_name, merchant_city,
                                     settings.max_transaction_amount.value(), settings.pix_expiration_minutes,
                                     settings.verify_documents, settings.fee_fixed.value(),
                                     settings.fee_basis_points, settings.dev_mode);
}

Offset<stored::Connection> connection_of(FlatBufferBuilder& builder, const domain::Connection& connection) {
  const auto id = text_of(builder, connection.id);
  const auto alias = text_of(builder, connection.alias);
  const auto provider_id = text_of(builder, connection.provider_id);
  const auto provider_name = text_of(builder, connection.provider_name);
  return stored::CreateConnection(builder, id, alias, provider_id, provider_name,
                                  number_of(connection.environment));
}

Offset<stored::CustomerDetails> customer_of(FlatBufferBuilder& builder,
                                            const domain::CustomerDetails& details) {
  const auto name = text_of(builder, details.name);
  const auto document = text_of(builder, details.document);
  const auto email = text_of(builder, details.email);
  const auto phone = text_of(builder, details.phone);
  const auto street = text_of(builder, details.address.street);
  const auto street_number = text_of(builder, details.address.street_number);
  const auto neighborhood = text_of(builder, details.address.neighborhood);
  const auto complement = text_of(builder, details.address.complement);
  const auto zip_code = text_of(builder, details.address.zip_code);
  const auto city = text_of(builder, details.address.city);
  const auto state = text_of(builder, details.address.state);
  const auto country = text_of(builder, details.address.country);
  return stored::CreateCustomerDetails(builder, name, document, email, phone, street, street_number,
                                       neighborhood, complement, zip_code, city, state, country);
}

// Builds an event's facts, and says which table they are and what is personal about the event.
class FactsEncoder {
 public:
  FactsEncoder(FlatBufferBuilder& builder, PersonalFields& personal)
      : builder_(builder), personal_(personal) {}

  EventType operator()(const domain::ProjectEvent& event) { return std::visit(*this, event); }
  EventType operator()(const domain::ProjectCreated& event) {
    const auto id = text(event.id);
    const auto settings = settings_of(builder_, event.settings);
    std::vector<Offset<stored::Connection>> connections;
    connections.reserve(event.connections.size());
    for (const auto& connection : event.connections)
      connections.push_back(connection_of(builder_, connection));
    const auto list = builder_.CreateVector(connections);
    return finish(EventType::ProjectCreated, stored::CreateProjectCreated(builder_, id, settings, list));
  }
  EventType operator()(const domain::StoreSettingsChanged& event) {
    const auto settings = settings_of(builder_, event.settings);
    return finish(EventType::StoreSettingsChanged, stored::CreateStoreSettingsChanged(builder_, settings));
  }
  EventType operator()(const domain::ConnectionAdded& event) {
    const auto connection = connection_of(builder_, event.connection);
    return finish(EventType::ConnectionAdded, stored::CreateConnectionAdded(builder_, connection));
  }

  EventType operator()(const domain::ApiKeyEvent& event) { return std::visit(*this, event); }
  EventType operator()(const domain::ApiKeyIssued& event) {
    const auto id = text(event.id);
    const auto hash = builder_.CreateVector(event.hash.data(), event.hash.size());
    Offset<flatbuffers::Vector<Text>> callers;
    if (!event.allowed_callers.empty()) {
      std::vector<Text> texts;
      texts.reserve(event.allowed_callers.size());
      for (const auto& caller : event.allowed_callers) texts.push_back(text(caller));
      callers = builder_.CreateVector(texts);
    }
    return finish(
        EventType::ApiKeyIssued,
        stored::CreateApiKeyIssued(builder_, id, number_of(event.environment), hash, event.scopes.bits(),
                                   event.sandbox_only, number_of(event.expires_at), callers));
  }
  EventType operator()(const domain::ApiKeyExpirySet& event) {
    return finish(EventType::ApiKeyExpirySet,
                  stored::CreateApiKeyExpirySet(builder_, event.expires_at.millis()));
  }
  EventType operator()(const domain::ApiKeyRevoked&) {
    return finish(EventType::ApiKeyRevoked, stored::CreateApiKeyRevoked(builder_));
  }

  EventType operator()(const domain::ChannelEvent& event) { return std::visit(*this, event); }
  EventType operator()(const domain::ChannelAdded& event) {
    const auto id = text(event.id);
    const auto name = text(event.name);
    const auto url = text(event.url);
    const auto secret = bytes(event.secret.bytes);
    const auto hint = text(event.secret_hint);
    return finish(EventType::ChannelAdded,
                  stored::CreateChannelAdded(builder_, id, name, url, event.events.bits(),
                                             number_of(event.version), secret, hint, event.sandbox_only));
  }
  EventType operator()(const domain::ChannelChanged& event) {
    const auto name = text(event.name);
    const auto url = text(event.url);
    return finish(EventType::ChannelChanged,
                  stored::CreateChannelChanged(builder_, name, url, event.events.bits(),
                                               number_of(event.version), event.is_active));
  }
  EventType operator()(const domain::ChannelDeleted& event) {
    const auto id = text(event.id);
    return finish(EventType::ChannelDeleted, stored::CreateChannelDeleted(builder_, id));
  }
  EventType operator()(const domain::ChannelSecretRotated& event) {
    const auto secret = bytes(event.secret.bytes);
    const auto hint = text(event.secret_hint);
    return finish(EventType::ChannelSecretRotated,
                  stored::CreateChannelSecretRotated(builder_, secret, hint, event.grace_ends_at.millis()));
  }
  EventType operator()(const domain::ChannelDisabled& event) {
    return finish(EventType::ChannelDisabled,
                  stored::CreateChannelDisabled(builder_, number_of(event.reason)));
  }
  EventType operator()(const domain::ChannelTestRequested& event) {
    const auto delivery = text(event.delivery);
    return finish(EventType::ChannelTestRequested,
                  stored::CreateChannelTestRequested(builder_, delivery, number_of(event.environment)));
  }
  EventType operator()(const domain::DeliveryRedeliveryRequested& event) {
    const auto delivery = text(event.delivery);
    return finish(EventType::DeliveryRedeliveryRequested,
                  stored::CreateDeliveryRedeliveryRequested(builder_, delivery, event.attempts));
  }
  EventType operator()(const domain::DeliveriesRecoveryRequested& event) {
    return finish(EventType::DeliveriesRecoveryRequested,
                  stored::CreateDeliveriesRecoveryRequested(builder_, event.since.millis(),
                                                            event.until.millis(), event.queued));
  }

  EventType operator()(const domain::BlocklistEvent& event) { return std::visit(*this, event); }
  EventType operator()(const domain::BlocklistEntryAdded& event) {
    personal_.blocklist_value = address_of(event.value);
    personal_.reason = address_of(event.reason);
    const auto id = text(event.id);
    return finish(EventType::BlocklistEntryAdded, stored::CreateBlocklistEntryAdded(builder_, id));
  }
  EventType operator()(const domain::BlocklistEntryRemoved& event) {
    const auto id = text(event.id);
    return finish(EventType::BlocklistEntryRemoved, stored::CreateBlocklistEntryRemoved(builder_, id));
  }

  EventType operator()(const domain::CustomerEvent& event) { return std::visit(*this, event); }
  EventType operator()(const domain::CustomerRegistered& event) {
    personal_.customer = address_of(event.details);
    const auto id = text(event.id);
    return finish(EventType::CustomerRegistered, stored::CreateCustomerRegistered(builder_, id));
  }
  EventType operator()(const domain::CustomerUpdated& event) {
    personal_.customer = address_of(event.details);
    return finish(EventType::CustomerUpdated, stored::CreateCustomerUpdated(builder_));
  }
  EventType operator()(const domain::CustomerBlocked& event) {
    personal_.reason = address_of(event.reason);
    return finish(EventType::CustomerBlocked, stored::CreateCustomerBlocked(builder_, number_of(event.type),
                                                                            number_of(event.expires_at)));
  }
  EventType operator()(const domain::CustomerUnblocked&) {
    return finish(EventType::CustomerUnblocked, stored::CreateCustomerUnblocked(builder_));
  }
  EventType operator()(const domain::CustomerErased& event) {
    personal_.reason = address_of(event.reason);
    const auto id = text(event.id);
    return finish(EventType::CustomerErased, stored::CreateCustomerErased(builder_, id));
  }

  EventType operator()(const domain::ChargeEvent& event) { return std::visit(*this, event); }
  EventType operator()(const domain::ChargeCreated& event) {
    personal_.ip = address_of(event.customer_ip);
    const auto id = text(event.id);
    const auto customer = text(event.customer);
    const auto connection = text(event.connection);
    const auto external_id = text(event.external_id);
    const auto product = text(event.product);
    const auto origin_host = text(event.origin_host);
    const auto pix_code = text(event.pix_code);
    return finish(
        EventType::ChargeCreated,
        stored::CreateChargeCreated(builder_, id, number_of(event.environment), customer, connection,
                                    external_id, event.amount.value(), product, event.quantity, origin_host,
                                    event.expires_at.millis(), pix_code));
  }
  EventType operator()(const domain::ChargePaid& event) {
    const auto end_to_end_id = text(event.end_to_end_id);
    return finish(EventType::ChargePaid,
                  stored::CreateChargePaid(builder_, end_to_end_id, event.amount.value(),
                                           event.paid_at.millis(), number_of(event.fee)));
  }
  EventType operator()(const domain::ChargeProcessingStarted&) {
    return finish(EventType::ChargeProcessingStarted, stored::CreateChargeProcessingStarted(builder_));
  }
  EventType operator()(const domain::ChargeExpired&) {
    return finish(EventType::ChargeExpired, stored::CreateChargeExpired(builder_));
  }
  EventType operator()(const domain::ChargeCancelled&) {
    return finish(EventType::ChargeCancelled, stored::CreateChargeCancelled(builder_));
  }
  EventType operator()(const domain::ChargeFailed& event) {
    personal_.reason = address_of(event.reason);
    return finish(EventType::ChargeFailed, stored::CreateChargeFailed(builder_));
  }
  EventType operator()(const domain::ChargeRefunded& event) {
    personal_.reason = address_of(event.reason);
    return finish(EventType::ChargeRefunded, stored::CreateChargeRefunded(builder_, event.amount.value()));
  }
  EventType operator()(const domain::PaymentLeftUnapplied& event) {
    const auto end_to_end_id = text(event.end_to_end_id);
    return finish(EventType::PaymentLeftUnapplied,
                  stored::CreatePaymentLeftUnapplied(builder_, end_to_end_id, event.amount.value(),
                                                     event.paid_at.millis(), number_of(event.flag)));
  }
  EventType operator()(const domain::UnappliedPaymentAccepted& event) {
    const auto end_to_end_id = text(event.end_to_end_id);
    return finish(EventType::UnappliedPaymentAccepted,
                  stored::CreateUnappliedPaymentAccepted(builder_, end_to_end_id, number_of(event.fee)));
  }
  EventType operator()(const domain::UnappliedPaymentReturned& event) {
    const auto end_to_end_id = text(event.end_to_end_id);
    personal_.reason = address_of(event.reason);
    return finish(EventType::UnappliedPaymentReturned,
                  stored::CreateUnappliedPaymentReturned(builder_, end_to_end_id));
  }

  EventType operator()(const domain::RefusalEvent& event) { return std::visit(*this, event); }
  EventType operator()(const domain::ChargeRefused& event) {
    const auto customer = text(event.customer);
    const auto product = text(event.product);
    return finish(EventType::ChargeRefused,
                  stored::CreateChargeRefused(builder_, customer, number_of(event.type), event.amount.value(),
                                              product));
  }

 private:
  template <class T>
  Text text(const T& value) {
    return text_of(builder_, value);
  }

  Offset<flatbuffers::Vector<std::uint8_t>> bytes(const std::string& value) {
    return builder_.CreateVector(reinterpret_cast<const std::uint8_t*>(value.data()), value.size());
  }

  template <class Table>
  EventType finish(EventType type, Offset<Table> facts) {
    builder_.Finish(facts);
    return type;
  }

  FlatBufferBuilder& builder_;
  PersonalFields& personal_;
};

std::string encode_personal(FlatBufferBuilder& builder, const PersonalFields& fields, Entropy& entropy) {
  std::array<std::byte, kSaltBytes> random{};
  entropy.fill(random);
  builder.Clear();
  const auto salt = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(random.data()), random.size());
  Offset<stored::CustomerDetails> customer;
  Text ip, reason, blocklist_type, blocklist_value;
  if (fields.customer) customer = customer_of(builder, *fields.customer);
  if (fields.ip) ip = text_of(builder, *fields.ip);
  if (fields.reason) reason = text_of(builder, *fields.reason);
  if (fields.blocklist_value) {
    const auto type = domain::type_of(*fields.blocklist_value);
    blocklist_type = builder.CreateString(type.data(), type.size());
    blocklist_value = text_of(builder, domain::text_of(*fields.blocklist_value));
  }
  builder.Finish(
      stored::CreatePersonal(builder, salt, customer, ip, reason, blocklist_type, blocklist_value));
  return bytes_of(builder);
}

}  // namespace

EncodedEvent encode(const domain::RecordedEvent& event, Entropy& salt) {
  // They keep their memory from event to event. Cleared before use, since an exception may have left one half
  // built.
  thread_local FlatBufferBuilder facts_builder;
  thread_local FlatBufferBuilder builder;

  facts_builder.Clear();
  PersonalFields personal;
  const auto type = std::visit(FactsEncoder(facts_builder, personal), event.event);

  builder.Clear();
  // Facts are FlatBuffers of their own, read in place.
  builder.ForceVectorAlignment(facts_builder.GetSize(), 1, 8);
  const auto facts = builder.CreateVector(facts_builder.GetBufferPointer(), facts_builder.GetSize());
  const auto stream = text_of(builder, event.stream);
  const auto project = text_of(builder, event.project);
  const auto actor = text_of(builder, event.actor);
  const auto request_id = event.request_id.empty() ? Text() : text_of(builder, event.request_id);
  builder.Finish(stored::CreateEnvelope(builder, event.recorded_at.millis(), stream, event.version, type,
                                        newest_schema_version(static_cast<std::uint16_t>(type)), project,
                                        actor, request_id, facts));

  EncodedEvent encoded;
  encoded.bytes = bytes_of(builder);
  if (personal.any()) encoded.personal = encode_personal(builder, personal, salt);
  return encoded;
}

}  // namespace pixledger::eventstore
