#include "tools/audit/event_sentence.h"

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/cents.h"

namespace pixledger::tools {
namespace {

// The changes of a settings event, from the settings' field descriptions.

inline std::string setting_text(const std::string& text) { return text; }
inline std::string setting_text(bool truth) { return truth ? "yes" : "no"; }
inline std::string setting_text(domain::Cents amount) { return domain::to_decimal(amount); }
inline std::string setting_text(Timestamp moment) { return to_iso8601(moment); }
template <class T>
requires(std::is_class_v<T>&& domain::Described<T>) std::string setting_text(const T& value);
template <std::integral Number>
std::string setting_text(Number number) {
  return std::to_string(number);
}
template <class T>
requires std::is_enum_v<T> std::string setting_text(T value) { return std::string(to_string(value)); }
template <class T>
requires requires(const T& value) { value.text(); }
std::string setting_text(const T& value) { return std::string(value.text()); }
template <class T>
std::string setting_text(const std::optional<T>& value) {
  return value ? setting_text(*value) : "none";
}

// "pixKey loja@example.com, code dynamic"; without secrets.
template <class T>
requires(std::is_class_v<T>&& domain::Described<T>) std::string setting_text(const T& value) {
  std::string text;
  domain::for_each_field<T>([&]<class Field>(const Field& field) {
    if constexpr (Field::kKind != domain::FieldKind::kSecret)
      text += (text.empty() ? "" : ", ") + std::string(field.name) + " " + setting_text(field.of(value));
  });
  return text;
}

// True for settings that contain other settings, which both sides may have.
template <class T>
constexpr bool kHoldsSettings = false;
template <domain::Described T>
constexpr bool kHoldsSettings<std::optional<T>> = std::is_class_v<T>;

// "name Loja → Loja Azul, feeFixedCents 0.00 → 0.25"; empty if no displayable field differs.
template <domain::Described T>
std::string settings_difference(const T& before, const T& after) {
  std::string text;
  domain::for_each_field<T>([&]<class Field>(const Field& field) {
    if constexpr (Field::kKind != domain::FieldKind::kSecret) {
      const auto& was = field.of(before);
      const auto& is = field.of(after);
      if (was == is) return;
      if (!text.empty()) text += ", ";
      if constexpr (kHoldsSettings<typename Field::Value>) {
        if (was && is) {
          text += settings_difference(*was, *is);
          return;
        }
      }
      text += std::string(field.name) + " " + setting_text(was) + " → " + setting_text(is);
    }
  });
  return text;
}

std::string because_of(const std::string& text) { return text.empty() ? text : ": " + text; }
std::string because(const std::optional<domain::Label>& reason) {
  return because_of(reason ? reason->text() : std::string());
}

std::string fee_text(const std::optional<domain::Cents>& fee) {
  return fee ? ", fee " + domain::to_decimal(*fee) : std::string();
}

std::string list_of(const std::vector<Cidr>& ranges) {
  std::string text;
  for (const auto& range : ranges) text += (text.empty() ? "" : ", ") + range.text();
  return text;
}

std::string terms_of(const domain::Connection& connection) {
  return connection.api_pix ? ", " + setting_text(*connection.api_pix) : std::string();
}

// The added payment, if an event names one.
std::string of_payment(const std::optional<domain::EndToEndId>& added) {
  return added ? " of payment " + added->text() : std::string();
}

// The difference from the previous settings, if known: ": name Loja → Loja Azul".
template <class T>
std::string difference(const std::optional<T>& before, const T& after) {
  return before ? because_of(settings_difference(*before, after)) : std::string();
}

struct Sentence {
  using Text = std::string;

  const TimeZone& zone;
  const SettingsBefore& before;

  Text at(Timestamp moment) const { return zone.text_of(moment); }

  // A template that accepts groups of events only, so that an event missing below cannot be taken for a
  // group.
  template <class... Events>
  Text operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }

  Text operator()(const domain::ProjectCreated& event) const {
    return "project " + event.settings.name.text() + " created, Pix key " +
           setting_text(event.settings.pix_key);
  }
  Text operator()(const domain::StoreSettingsChanged& event) const {
    return "settings changed" + difference(before.store, event.settings);
  }
  Text operator()(const domain::ConnectionAdded& event) const {
    const auto& connection = event.connection;
    return "connection " + connection.alias.text() + " added for " +
           std::string(domain::to_string(connection.environment)) + terms_of(connection);
  }
  Text operator()(const domain::ConnectionChanged& event) const {
    const auto& now = event.connection;
    const auto was = before.connections.find(now.id);
    return "connection " + now.alias.text() + " changed" +
           (was == before.connections.end() ? Text() : because_of(settings_difference(was->second, now)));
  }
  Text operator()(const domain::DefaultConnectionSet& event) const {
    return "connection " + event.connection.text() + " made the default for " +
           Text(domain::to_string(event.environment));
  }

  Text operator()(const domain::ApiKeyIssued& event) const {
    const auto callers = list_of(event.allowed_callers);
    return "API key " + (event.name ? event.name->text() + " " : Text()) +
           (event.last_four ? "(…" + event.last_four->text() + ") " : Text()) + "issued for " +
           Text(domain::to_string(event.environment)) + ", may " +
           (event.scopes == domain::ScopeSet::all() ? "do everything" : event.scopes.text()) +
           (callers.empty() ? "" : " from " + callers) +
           (event.expires_at ? ", expires at " + at(*event.expires_at) : Text());
  }
  Text operator()(const domain::ApiKeyExpirySet& event) const {
    return "API key expires at " + at(event.expires_at);
  }
  Text operator()(const domain::ApiKeyRevoked&) const { return "API key revoked"; }

  Text operator()(const domain::ChannelAdded& event) const {
    return "notification channel added: " + event.url +
           (event.environments ? ", told of " + event.environments->text() : Text());
  }
  Text operator()(const domain::ChannelChanged& event) const {
    std::optional<domain::ChannelChanged> was;
    if (const auto& old = before.channel)
      was = {.name = old->name,
             .url = old->url,
             .events = old->events,
             .version = old->version,
             .is_active = old->is_active,
             .environments = event.environments ? std::optional(old->environments) : std::nullopt};
    return "notification channel changed" + difference(was, event);
  }
  Text operator()(const domain::ChannelDeleted&) const { return "notification channel deleted"; }
  Text operator()(const domain::ChannelSecretRotated& event) const {
    return "secret replaced, the old one signs until " + at(event.grace_ends_at);
  }
  Text operator()(const domain::ChannelDisabled& event) const {
    return "notification channel disabled: " + std::string(domain::to_string(event.reason));
  }
  Text operator()(const domain::ChannelTestRequested&) const { return "test webhook asked for"; }
  Text operator()(const domain::DeliveryRedeliveryRequested& event) const {
    return "delivery " + event.delivery.text() + " to be sent again";
  }
  Text operator()(const domain::DeliveriesRecoveryRequested& event) const {
    return "deliveries recovered from " + at(event.since) + " to " + at(event.until);
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
    const auto until = event.expires_at ? " until " + at(*event.expires_at) : std::string();
    return "blocked (" + std::string(domain::to_string(event.type)) + ")" + until + because(event.reason);
  }
  Text operator()(const domain::CustomerUnblocked&) const { return "unblocked"; }
  Text operator()(const domain::CustomerErased& event) const {
    return "personal data erased" + because(event.reason);
  }

  Text operator()(const domain::ChargeCreated& event) const {
    return "created for " + domain::to_decimal(event.amount) + ", " + event.product.text() +
           ", to be paid before " + at(event.expires_at);
  }
  Text operator()(const domain::ChargePaid& event) const {
    return "paid " + domain::to_decimal(event.amount) + " at " + at(event.paid_at) + " with " +
           event.end_to_end_id.text() + fee_text(event.fee);
  }
  Text operator()(const domain::ChargeProcessingStarted&) const { return "a payment is being checked"; }
  Text operator()(const domain::ChargeExpired&) const { return "expired"; }
  Text operator()(const domain::ChargeCancelled&) const { return "cancelled"; }
  Text operator()(const domain::ChargeFailed& event) const { return "failed" + because(event.reason); }
  Text operator()(const domain::ChargeRefunded& event) const {
    return "refund of " + domain::to_decimal(event.amount) + " recorded, made outside of the service" +
           because(event.reason);
  }
  Text operator()(const domain::PaymentLeftUnapplied& event) const {
    return "payment of " + domain::to_decimal(event.amount) + " with " + event.end_to_end_id.text() +
           " left unapplied: " + std::string(domain::to_string(event.flag));
  }
  Text operator()(const domain::UnappliedPaymentAccepted& event) const {
    return "paid after all with " + event.end_to_end_id.text() + fee_text(event.fee);
  }
  Text operator()(const domain::UnappliedPaymentAdded& event) const {
    return "payment " + event.end_to_end_id.text() + " added to the charge's payment" + fee_text(event.fee);
  }
  Text operator()(const domain::UnappliedPaymentReturned& event) const {
    const auto how = event.returned_at ? " returned by the bank at " + at(*event.returned_at)
                                       : Text(" recorded as returned, outside of the service");
    return "payment " + event.end_to_end_id.text() + how + because(event.reason);
  }
  Text operator()(const domain::UnappliedReturnRequested& event) const {
    return "payment " + event.end_to_end_id.text() + " to be sent back with " + event.id.text() +
           because(event.reason);
  }
  Text operator()(const domain::UnappliedReturnFailed& event) const {
    return "payment " + event.end_to_end_id.text() + " not sent back with " + event.id.text() +
           because(event.reason);
  }

  Text operator()(const domain::ConnectionConfigured& event) const {
    const auto& now = event.configuration;
    if (!before.bank) return "configured: " + setting_text(now);
    const auto& was = before.bank->configuration;
    return "configured anew" + because_of(settings_difference(was, now)) +
           (was.secrets == now.secrets ? ""
                                       : ", secrets sealed anew (the client's, a key's or the callbacks')");
  }
  Text operator()(const domain::CallbackRegistered& event) const { return "callbacks go to " + event.url; }
  Text operator()(const domain::CallbackRemoved&) const { return "callbacks ended"; }
  Text operator()(const domain::ChargeCodeSet& event) const {
    return "has its " + Text(domain::to_string(event.kind)) + " code";
  }
  Text operator()(const domain::ChargeCancelRequested&) const { return "to be cancelled at the bank"; }
  Text operator()(const domain::ChargeCancelDropped&) const { return "not cancelled: the bank had it paid"; }
  Text operator()(const domain::RefundRequested& event) const {
    return "refund " + event.id.text() + " of " + domain::to_decimal(event.amount) +
           of_payment(event.end_to_end_id) + " asked for" + because(event.reason);
  }
  Text operator()(const domain::RefundDone& event) const {
    return "refund " + event.id.text() + " done at " + at(event.settled_at);
  }
  Text operator()(const domain::RefundFailed& event) const { return "refund " + event.id.text() + " failed"; }
  Text operator()(const domain::PaymentReversed& event) const {
    return domain::to_decimal(event.amount) + of_payment(event.end_to_end_id) + " sent back by the bank at " +
           at(event.reversed_at) + " with " + event.return_id.text();
  }

  Text operator()(const domain::UnappliedPaymentReversed& event) const {
    return domain::to_decimal(event.amount) + " of payment " + event.end_to_end_id.text() +
           " sent back by the bank at " + at(event.reversed_at) + " with " + event.return_id.text();
  }
  Text operator()(const domain::UnmatchedPaymentReversed& event) const {
    return domain::to_decimal(event.amount) + " sent back by the bank at " + at(event.reversed_at) +
           " with " + event.return_id.text();
  }

  Text operator()(const domain::PaymentUnmatched& event) const {
    return domain::to_decimal(event.amount) + " arrived on connection " + event.connection.text() + " at " +
           at(event.paid_at) + " and fits no charge: " + Text(domain::to_string(event.reason)) +
           (event.txid ? ", txid " + event.txid->text() : Text());
  }
  Text operator()(const domain::PaymentAssigned& event) const {
    return "assigned to charge " + event.charge.text();
  }
  Text operator()(const domain::PaymentClosed& event) const { return "closed" + because(event.reason); }
  Text operator()(const domain::PaymentReturnRequested& event) const {
    return "to be sent back with " + event.id.text() + because(event.reason);
  }
  Text operator()(const domain::PaymentReturned& event) const {
    return "sent back at " + at(event.returned_at) + " with " + event.id.text();
  }
  Text operator()(const domain::PaymentReturnFailed& event) const {
    return "not sent back with " + event.id.text() + ", open again" + because(event.reason);
  }

  Text operator()(const domain::CheckoutSessionCreated& event) const {
    return "checkout session of " + domain::to_decimal(event.amount) + ", " + event.product.text() +
           ", open until " + at(event.expires_at);
  }
  Text operator()(const domain::CheckoutChargeAdded& event) const {
    return "charge " + event.charge.text() + " created for it";
  }
  Text operator()(const domain::CheckoutSessionCompleted& event) const {
    return "charge " + event.charge.text() + " paid";
  }
  Text operator()(const domain::CheckoutSessionCancelled&) const { return "cancelled"; }
  Text operator()(const domain::CheckoutSessionExpired&) const { return "expired"; }

  Text operator()(const domain::MemberAdded& event) const {
    return "user " + event.user.text() + " may sign in as " + Text(domain::to_string(event.role));
  }
  Text operator()(const domain::MemberRoleChanged& event) const {
    return "user " + event.user.text() + " is " + Text(domain::to_string(event.role)) + " from now on";
  }
  Text operator()(const domain::MemberInvited& event) const {
    return "user " + event.user.text() + " was invited to sign in anew";
  }
  Text operator()(const domain::MemberRemoved& event) const {
    return "user " + event.user.text() + " removed";
  }

  Text operator()(const domain::ChargeRefused& event) const {
    return "charge of " + domain::to_decimal(event.amount) +
           " refused: " + std::string(domain::to_string(event.type));
  }
};

}  // namespace

std::string sentence_of(const domain::Event& event, const TimeZone& zone, const SettingsBefore& before) {
  return std::visit(Sentence{zone, before}, event);
}

}  // namespace pixledger::tools
