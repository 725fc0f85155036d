#include "tools/audit/event_sentence.h"

namespace pixledger::tools {
namespace {

std::string because(const std::optional<domain::Label>& reason) {
  return reason ? ": " + reason->text() : std::string();
}

std::string fee_text(const std::optional<domain::Cents>& fee) {
  return fee ? ", fee " + domain::to_decimal(*fee) : std::string();
}

struct Sentence {
  using Text = std::string;

  // A template takes groups of events and nothing else: no event that is missing below becomes a group again.
  template <class... Events>
  Text operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }

  Text operator()(const domain::ProjectCreated& event) const {
    return "project " + event.settings.name.text() + " created";
  }
  Text operator()(const domain::StoreSettingsChanged&) const { return "settings changed"; }
  Text operator()(const domain::ConnectionAdded& event) const {
    const auto& connection = event.connection;
    return "connection " + connection.alias.text() + " added for " +
           std::string(domain::to_string(connection.environment));
  }

  Text operator()(const domain::ApiKeyIssued& event) const {
    return "API key issued for " + std::string(domain::to_string(event.environment));
  }
  Text operator()(const domain::ApiKeyExpirySet& event) const {
    return "API key expires at " + domain::to_iso8601(event.expires_at);
  }
  Text operator()(const domain::ApiKeyRevoked&) const { return "API key revoked"; }

  Text operator()(const domain::ChannelAdded& event) const {
    return "notification channel added: " + event.url;
  }
  Text operator()(const domain::ChannelChanged& event) const {
    return "notification channel changed: " + event.url + (event.is_active ? "" : ", switched off");
  }
  Text operator()(const domain::ChannelDeleted&) const { return "notification channel deleted"; }
  Text operator()(const domain::ChannelSecretRotated& event) const {
    return "secret replaced, the old one signs until " + domain::to_iso8601(event.grace_ends_at);
  }
  Text operator()(const domain::ChannelDisabled& event) const {
    return "notification channel disabled: " + std::string(domain::to_string(event.reason));
  }
  Text operator()(const domain::ChannelTestRequested&) const { return "test webhook asked for"; }
  Text operator()(const domain::DeliveryRedeliveryRequested& event) const {
    return "delivery " + event.delivery.text() + " to be sent again";
  }
  Text operator()(const domain::DeliveriesRecoveryRequested& event) const {
    return "deliveries recovered from " + domain::to_iso8601(event.since) + " to " +
           domain::to_iso8601(event.until);
  }

  Text operator()(const domain::BlocklistEntryAdded&) const { return "added to the blocklist"; }
  Text operator()(const domain::BlocklistEntryRemoved&) const { return "removed from the blocklist"; }

  Text operator()(const domain::CustomerRegistered& event) const {
    return event.details ? "registered" : "registered (personal data erased)";
  }
  Text operator()(const domain::CustomerUpdated& event) const {
    return event.details ? "details changed" : "details changed (personal data erased)";
  }
  Text operator()(const domain::CustomerBlocked& event) const {
    const auto until = event.expires_at ? " until " + domain::to_iso8601(*event.expires_at) : std::string();
    return "blocked (" + std::string(domain::to_string(event.type)) + ")" + until + because(event.reason);
  }
  Text operator()(const domain::CustomerUnblocked&) const { return "unblocked"; }
  Text operator()(const domain::CustomerErased& event) const {
    return "personal data erased" + because(event.reason);
  }

  Text operator()(const domain::ChargeCreated& event) const {
    return "created for " + domain::to_decimal(event.amount) + ", " + event.product.text() +
           ", to be paid before " + domain::to_iso8601(event.expires_at);
  }
  Text operator()(const domain::ChargePaid& event) const {
    return "paid " + domain::to_decimal(event.amount) + " at " + domain::to_iso8601(event.paid_at) +
           " with " + event.end_to_end_id.text() + fee_text(event.fee);
  }
  Text operator()(const domain::ChargeProcessingStarted&) const { return "a payment is being checked"; }
  Text operator()(const domain::ChargeExpired&) const { return "expired"; }
  Text operator()(const domain::ChargeCancelled&) const { return "cancelled"; }
  Text operator()(const domain::ChargeFailed& event) const { return "failed" + because(event.reason); }
  Text operator()(const domain::ChargeRefunded& event) const {
    return "refunded " + domain::to_decimal(event.amount) + because(event.reason);
  }
  Text operator()(const domain::PaymentLeftUnapplied& event) const {
    return "payment of " + domain::to_decimal(event.amount) + " with " + event.end_to_end_id.text() +
           " left unapplied: " + std::string(domain::to_string(event.flag));
  }
  Text operator()(const domain::UnappliedPaymentAccepted& event) const {
    return "paid after all with " + event.end_to_end_id.text() + fee_text(event.fee);
  }
  Text operator()(const domain::UnappliedPaymentReturned& event) const {
    return "payment " + event.end_to_end_id.text() + " returned" + because(event.reason);
  }

  Text operator()(const domain::ChargeRefused& event) const {
    return "charge of " + domain::to_decimal(event.amount) +
           " refused: " + std::string(domain::to_string(event.type));
  }
};

}  // namespace

std::string sentence_of(const domain::Event& event) { return std::visit(Sentence{}, event); }

}  // namespace pixledger::tools
