#include "eventstore/codec/facts.h"

#include "eventstore/codec/channel_facts.h"
#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/numbers.h"

namespace pixledger::eventstore {
namespace {

using stored::EventType;

FieldReader personal_reader_of(const StoredFacts& facts) { return {facts.position, "Personal"}; }

domain::StoreSettings settings_of(const FieldReader& read, const stored::StoreSettings& settings) {
  return {read.parse<domain::Label>(settings.name(), "settings.name"),
          read.parse_optional<domain::PixKey>(settings.pix_key(), "settings.pix_key"),
          read.parse<domain::Label>(settings.merchant_name(), "settings.merchant_name"),
          read.parse<domain::Label>(settings.merchant_city(), "settings.merchant_city"),
          read.amount(settings.max_transaction_amount_cents(), "settings.max_transaction_amount_cents"),
          settings.pix_expiration_minutes(),
          settings.verify_documents(),
          read.amount(settings.fee_fixed_cents(), "settings.fee_fixed_cents"),
          settings.fee_basis_points(),
          settings.dev_mode()};
}

domain::Connection connection_of(const FieldReader& read, const stored::Connection& connection) {
  return {read.parse<domain::ConnectionId>(connection.id(), "connection.id"),
          read.parse<domain::Label>(connection.alias(), "connection.alias"),
          std::string(view_of(connection.provider_id())), std::string(view_of(connection.provider_name())),
          read.known(environment_of(connection.environment()), "connection.environment")};
}

std::optional<domain::CustomerDetails> customer_of(const StoredFacts& facts) {
  if (!facts.personal || !facts.personal->customer()) return std::nullopt;
  const auto read = personal_reader_of(facts);
  const auto& customer = *facts.personal->customer();
  return domain::CustomerDetails{
      read.parse<domain::PersonName>(customer.name(), "customer.name"),
      read.parse<domain::Document>(customer.document(), "customer.document"),
      read.parse<domain::EmailAddress>(customer.email(), "customer.email"),
      read.parse<domain::Phone>(customer.phone(), "customer.phone"),
      {read.parse_optional<domain::Label>(customer.street(), "customer.street"),
       read.parse_optional<domain::Label>(customer.street_number(), "customer.street_number"),
       read.parse_optional<domain::Label>(customer.neighborhood(), "customer.neighborhood"),
       read.parse_optional<domain::Label>(customer.complement(), "customer.complement"),
       read.parse_optional<domain::Label>(customer.zip_code(), "customer.zip_code"),
       read.parse_optional<domain::Label>(customer.city(), "customer.city"),
       read.parse_optional<domain::Label>(customer.state(), "customer.state"),
       read.parse_optional<domain::CountryCode>(customer.country(), "customer.country")}};
}

std::optional<domain::Label> reason_of(const StoredFacts& facts) {
  if (!facts.personal) return std::nullopt;
  return personal_reader_of(facts).parse_optional<domain::Label>(facts.personal->reason(), "reason");
}

std::optional<domain::IpAddress> ip_of(const StoredFacts& facts) {
  if (!facts.personal) return std::nullopt;
  return personal_reader_of(facts).parse_optional<domain::IpAddress>(facts.personal->ip(), "ip");
}

std::optional<domain::BlocklistValue> blocklist_value_of(const StoredFacts& facts) {
  if (!facts.personal || !facts.personal->blocklist_value()) return std::nullopt;
  return personal_reader_of(facts).known(
      domain::parse_blocklist_value(view_of(facts.personal->blocklist_type()),
                                    view_of(facts.personal->blocklist_value())),
      "blocklist_value");
}

domain::ProjectEvent project_created(const StoredFacts& facts) {
  const auto& table = table_of<stored::ProjectCreated>(facts);
  const auto read = reader_of(facts);
  std::vector<domain::Connection> connections;
  connections.reserve(table.connections()->size());
  for (const auto* connection : *table.connections()) connections.push_back(connection_of(read, *connection));
  return domain::ProjectCreated{read.parse<domain::ProjectId>(table.id(), "id"),
                                settings_of(read, *table.settings()), std::move(connections)};
}

domain::ProjectEvent store_settings_changed(const StoredFacts& facts) {
  const auto& table = table_of<stored::StoreSettingsChanged>(facts);
  return domain::StoreSettingsChanged{settings_of(reader_of(facts), *table.settings())};
}

domain::ProjectEvent connection_added(const StoredFacts& facts) {
  const auto& table = table_of<stored::ConnectionAdded>(facts);
  return domain::ConnectionAdded{connection_of(reader_of(facts), *table.connection())};
}

domain::ApiKeyEvent api_key_issued(const StoredFacts& facts) {
  const auto& table = table_of<stored::ApiKeyIssued>(facts);
  const auto read = reader_of(facts);
  std::vector<domain::Cidr> allowed_callers;
  if (const auto* texts = table.allowed_callers()) {
    allowed_callers.reserve(texts->size());
    for (const auto* text : *texts)
      allowed_callers.push_back(read.parse<domain::Cidr>(text, "allowed_callers"));
  }
  return domain::ApiKeyIssued{read.parse<domain::ApiKeyId>(table.id(), "id"),
                              facts.project,
                              read.known(environment_of(table.environment()), "environment"),
                              read.digest(*table.hash(), "hash"),
                              read.known(domain::ScopeSet::from_bits(table.scopes()), "scopes"),
                              table.sandbox_only(),
                              read.time(table.expires_at(), "expires_at"),
                              std::move(allowed_callers)};
}

domain::ApiKeyEvent api_key_expiry_set(const StoredFacts& facts) {
  const auto& table = table_of<stored::ApiKeyExpirySet>(facts);
  return domain::ApiKeyExpirySet{reader_of(facts).time(table.expires_at(), "expires_at")};
}

domain::BlocklistEvent blocklist_entry_added(const StoredFacts& facts) {
  const auto& table = table_of<stored::BlocklistEntryAdded>(facts);
  return domain::BlocklistEntryAdded{reader_of(facts).parse<domain::BlocklistEntryId>(table.id(), "id"),
                                     facts.project, blocklist_value_of(facts), reason_of(facts)};
}

domain::BlocklistEvent blocklist_entry_removed(const StoredFacts& facts) {
  const auto& table = table_of<stored::BlocklistEntryRemoved>(facts);
  return domain::BlocklistEntryRemoved{reader_of(facts).parse<domain::BlocklistEntryId>(table.id(), "id")};
}

domain::CustomerEvent customer_registered(const StoredFacts& facts) {
  const auto& table = table_of<stored::CustomerRegistered>(facts);
  return domain::CustomerRegistered{reader_of(facts).parse<domain::CustomerId>(table.id(), "id"),
                                    facts.project, customer_of(facts)};
}

domain::CustomerEvent customer_blocked(const StoredFacts& facts) {
  const auto& table = table_of<stored::CustomerBlocked>(facts);
  const auto read = reader_of(facts);
  return domain::CustomerBlocked{read.known(block_type_of(table.block_type()), "block_type"),
                                 reason_of(facts), read.time(table.expires_at(), "expires_at")};
}

domain::CustomerEvent customer_erased(const StoredFacts& facts) {
  const auto& table = table_of<stored::CustomerErased>(facts);
  return domain::CustomerErased{reader_of(facts).parse<domain::CustomerId>(table.id(), "id"),
                                reason_of(facts)};
}

domain::ChargeEvent charge_created(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChargeCreated>(facts);
  const auto read = reader_of(facts);
  return domain::ChargeCreated{read.parse<domain::ChargeId>(table.id(), "id"),
                               facts.project,
                               read.known(environment_of(table.environment()), "environment"),
                               read.parse<domain::CustomerId>(table.customer(), "customer"),
                               read.parse<domain::ConnectionId>(table.connection(), "connection"),
                               read.parse_optional<domain::ExternalId>(table.external_id(), "external_id"),
                               read.amount(table.amount_cents(), "amount_cents"),
                               read.parse<domain::ProductName>(table.product(), "product"),
                               table.quantity(),
                               read.parse<domain::OriginHost>(table.origin_host(), "origin_host"),
                               read.time(table.expires_at(), "expires_at"),
                               std::string(view_of(table.pix_code())),
                               ip_of(facts)};
}

domain::ChargeEvent charge_paid(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChargePaid>(facts);
  const auto read = reader_of(facts);
  return domain::ChargePaid{read.parse<domain::EndToEndId>(table.end_to_end_id(), "end_to_end_id"),
                            read.amount(table.amount_cents(), "amount_cents"),
                            read.time(table.paid_at(), "paid_at"),
                            read.amount(table.fee_cents(), "fee_cents")};
}

domain::ChargeEvent charge_failed(const StoredFacts& facts) {
  table_of<stored::ChargeFailed>(facts);
  return domain::ChargeFailed{reason_of(facts)};
}

domain::ChargeEvent charge_refunded(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChargeRefunded>(facts);
  const auto read = reader_of(facts);
  return domain::ChargeRefunded{read.amount(table.amount_cents(), "amount_cents"), reason_of(facts)};
}

domain::ChargeEvent payment_left_unapplied(const StoredFacts& facts) {
  const auto& table = table_of<stored::PaymentLeftUnapplied>(facts);
  const auto read = reader_of(facts);
  return domain::PaymentLeftUnapplied{read.parse<domain::EndToEndId>(table.end_to_end_id(), "end_to_end_id"),
                                      read.amount(table.amount_cents(), "amount_cents"),
                                      read.time(table.paid_at(), "paid_at"),
                                      read.known(payment_flag_of(table.flag()), "flag")};
}

domain::ChargeEvent unapplied_payment_accepted(const StoredFacts& facts) {
  const auto& table = table_of<stored::UnappliedPaymentAccepted>(facts);
  const auto read = reader_of(facts);
  return domain::UnappliedPaymentAccepted{
      read.parse<domain::EndToEndId>(table.end_to_end_id(), "end_to_end_id"),
      read.amount(table.fee_cents(), "fee_cents")};
}

domain::ChargeEvent unapplied_payment_returned(const StoredFacts& facts) {
  const auto& table = table_of<stored::UnappliedPaymentReturned>(facts);
  const auto read = reader_of(facts);
  return domain::UnappliedPaymentReturned{
      read.parse<domain::EndToEndId>(table.end_to_end_id(), "end_to_end_id"), reason_of(facts)};
}

domain::RefusalEvent charge_refused(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChargeRefused>(facts);
  const auto read = reader_of(facts);
  return domain::ChargeRefused{facts.project,
                               read.parse_optional<domain::CustomerId>(table.customer(), "customer"),
                               read.known(fraud_type_of(table.fraud_type()), "fraud_type"),
                               read.amount(table.amount_cents(), "amount_cents"),
                               read.parse<domain::ProductName>(table.product(), "product")};
}

// An event that is its name alone. A table that a later release has given fields is still read.
template <class Table, class Event>
Event without_fields(const StoredFacts& facts, Event event) {
  table_of<Table>(facts);
  return event;
}

}  // namespace

domain::Event decode_facts(const StoredFacts& facts) {
  switch (facts.type) {
    case EventType::None:
      throw_damaged(facts.position, "Envelope", "type");
    case EventType::ProjectCreated:
      return project_created(facts);
    case EventType::StoreSettingsChanged:
      return store_settings_changed(facts);
    case EventType::ConnectionAdded:
      return connection_added(facts);
    case EventType::ApiKeyIssued:
      return api_key_issued(facts);
    case EventType::ApiKeyExpirySet:
      return api_key_expiry_set(facts);
    case EventType::ApiKeyRevoked:
      return without_fields<stored::ApiKeyRevoked>(facts, domain::ApiKeyEvent(domain::ApiKeyRevoked{}));
    case EventType::ChannelAdded:
      return channel_added(facts);
    case EventType::ChannelChanged:
      return channel_changed(facts);
    case EventType::ChannelDeleted:
      return channel_deleted(facts);
    case EventType::ChannelSecretRotated:
      return channel_secret_rotated(facts);
    case EventType::ChannelDisabled:
      return channel_disabled(facts);
    case EventType::ChannelTestRequested:
      return channel_test_requested(facts);
    case EventType::DeliveryRedeliveryRequested:
      return delivery_redelivery_requested(facts);
    case EventType::DeliveriesRecoveryRequested:
      return deliveries_recovery_requested(facts);
    case EventType::BlocklistEntryAdded:
      return blocklist_entry_added(facts);
    case EventType::BlocklistEntryRemoved:
      return blocklist_entry_removed(facts);
    case EventType::CustomerRegistered:
      return customer_registered(facts);
    case EventType::CustomerUpdated:
      return without_fields<stored::CustomerUpdated>(
          facts, domain::CustomerEvent(domain::CustomerUpdated{customer_of(facts)}));
    case EventType::CustomerBlocked:
      return customer_blocked(facts);
    case EventType::CustomerUnblocked:
      return without_fields<stored::CustomerUnblocked>(facts,
                                                       domain::CustomerEvent(domain::CustomerUnblocked{}));
    case EventType::CustomerErased:
      return customer_erased(facts);
    case EventType::ChargeCreated:
      return charge_created(facts);
    case EventType::ChargePaid:
      return charge_paid(facts);
    case EventType::ChargeProcessingStarted:
      return without_fields<stored::ChargeProcessingStarted>(
          facts, domain::ChargeEvent(domain::ChargeProcessingStarted{}));
    case EventType::ChargeExpired:
      return without_fields<stored::ChargeExpired>(facts, domain::ChargeEvent(domain::ChargeExpired{}));
    case EventType::ChargeCancelled:
      return without_fields<stored::ChargeCancelled>(facts, domain::ChargeEvent(domain::ChargeCancelled{}));
    case EventType::ChargeFailed:
      return charge_failed(facts);
    case EventType::ChargeRefunded:
      return charge_refunded(facts);
    case EventType::PaymentLeftUnapplied:
      return payment_left_unapplied(facts);
    case EventType::UnappliedPaymentAccepted:
      return unapplied_payment_accepted(facts);
    case EventType::UnappliedPaymentReturned:
      return unapplied_payment_returned(facts);
    case EventType::ChargeRefused:
      return charge_refused(facts);
  }
  throw LogCorrupt("the event at position " + std::to_string(facts.position.value()) + " is of type " +
                   std::to_string(static_cast<unsigned>(facts.type)) +
                   ", written by a newer release: upgrade pixledger");
}

}  // namespace pixledger::eventstore
