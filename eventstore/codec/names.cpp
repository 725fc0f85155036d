#include "eventstore/codec/codec.h"

namespace pixledger::eventstore {
namespace {

// The names of the tables in events.fbs.
struct TypeName {
  using Name = std::string_view;

  Name operator()(const domain::ProjectEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ProjectCreated&) const { return "ProjectCreated"; }
  Name operator()(const domain::StoreSettingsChanged&) const { return "StoreSettingsChanged"; }
  Name operator()(const domain::ConnectionAdded&) const { return "ConnectionAdded"; }

  Name operator()(const domain::ApiKeyEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ApiKeyIssued&) const { return "ApiKeyIssued"; }
  Name operator()(const domain::ApiKeyExpirySet&) const { return "ApiKeyExpirySet"; }
  Name operator()(const domain::ApiKeyRevoked&) const { return "ApiKeyRevoked"; }

  Name operator()(const domain::ChannelEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ChannelAdded&) const { return "ChannelAdded"; }
  Name operator()(const domain::ChannelChanged&) const { return "ChannelChanged"; }
  Name operator()(const domain::ChannelDeleted&) const { return "ChannelDeleted"; }
  Name operator()(const domain::ChannelSecretRotated&) const { return "ChannelSecretRotated"; }
  Name operator()(const domain::ChannelDisabled&) const { return "ChannelDisabled"; }
  Name operator()(const domain::ChannelTestRequested&) const { return "ChannelTestRequested"; }
  Name operator()(const domain::DeliveryRedeliveryRequested&) const { return "DeliveryRedeliveryRequested"; }
  Name operator()(const domain::DeliveriesRecoveryRequested&) const { return "DeliveriesRecoveryRequested"; }

  Name operator()(const domain::BlocklistEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::BlocklistEntryAdded&) const { return "BlocklistEntryAdded"; }
  Name operator()(const domain::BlocklistEntryRemoved&) const { return "BlocklistEntryRemoved"; }

  Name operator()(const domain::CustomerEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::CustomerRegistered&) const { return "CustomerRegistered"; }
  Name operator()(const domain::CustomerUpdated&) const { return "CustomerUpdated"; }
  Name operator()(const domain::CustomerBlocked&) const { return "CustomerBlocked"; }
  Name operator()(const domain::CustomerUnblocked&) const { return "CustomerUnblocked"; }
  Name operator()(const domain::CustomerErased&) const { return "CustomerErased"; }

  Name operator()(const domain::ChargeEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ChargeCreated&) const { return "ChargeCreated"; }
  Name operator()(const domain::ChargePaid&) const { return "ChargePaid"; }
  Name operator()(const domain::ChargeProcessingStarted&) const { return "ChargeProcessingStarted"; }
  Name operator()(const domain::ChargeExpired&) const { return "ChargeExpired"; }
  Name operator()(const domain::ChargeCancelled&) const { return "ChargeCancelled"; }
  Name operator()(const domain::ChargeFailed&) const { return "ChargeFailed"; }
  Name operator()(const domain::ChargeRefunded&) const { return "ChargeRefunded"; }
  Name operator()(const domain::PaymentLeftUnapplied&) const { return "PaymentLeftUnapplied"; }
  Name operator()(const domain::UnappliedPaymentAccepted&) const { return "UnappliedPaymentAccepted"; }
  Name operator()(const domain::UnappliedPaymentReturned&) const { return "UnappliedPaymentReturned"; }

  Name operator()(const domain::RefusalEvent& event) const { return std::visit(*this, event); }
  Name operator()(const domain::ChargeRefused&) const { return "ChargeRefused"; }
};

}  // namespace

std::string_view type_name(const domain::Event& event) { return std::visit(TypeName{}, event); }

}  // namespace pixledger::eventstore
