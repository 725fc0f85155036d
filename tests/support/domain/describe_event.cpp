#include "tests/support/domain/describe_event.h"

#include <string_view>
#include <type_traits>
#include <variant>

namespace pixledger::tests {
namespace {

using namespace domain;

std::string show(const std::string& text) { return '"' + text + '"'; }
std::string show(bool value) { return value ? "yes" : "no"; }
std::string show(Timestamp moment) { return std::to_string(moment.millis()) + " ms"; }
std::string show(Cents amount) { return to_decimal(amount); }
std::string show(const ScopeSet& scopes) { return scopes.text(); }
std::string show(const WebhookEventSet& events) { return events.text(); }
std::string show(const IpAddress& address) { return address.text(); }
std::string show(const Cidr& range) { return range.text(); }
std::string show(const SealedSecret& secret) { return show(secret.bytes); }
std::string show(const BlocklistValue& value) { return std::string(type_of(value)) + ' ' + text_of(value); }
std::string show(ChargeStatus status) { return std::string(to_string(status)); }
std::string show(PaymentFlag flag) { return std::string(to_string(flag)); }
std::string show(Environment environment) { return std::string(to_string(environment)); }
std::string show(WebhookVersion version) { return std::string(to_string(version)); }
std::string show(ChannelDisabledReason reason) { return std::string(to_string(reason)); }
std::string show(BlockType type) { return std::string(to_string(type)); }
std::string show(FraudType type) { return std::string(to_string(type)); }
std::string show(const ApiKeyHash& hash) { return show(std::string(hash.begin(), hash.end())); }
template <class Number>
std::enable_if_t<std::is_integral_v<Number>, std::string> show(Number number) {
  return std::to_string(number);
}
// The value types that keep their text.
template <class Value>
auto show(const Value& value)
    -> std::enable_if_t<std::is_same_v<decltype(value.text()), const std::string&>, std::string> {
  return show(value.text());
}

std::string show(const Address& address);
std::string show(const CustomerDetails& details);
std::string show(const StoreSettings& settings);
std::string show(const Connection& connection);
std::string show(const CustomerBlock& block);
std::string show(const Channel::RetiringSecret& retiring);
std::string show(const BlocklistEntry& entry);
std::string show(const Payment& payment);
std::string show(const UnappliedPayment& payment);

template <class Value>
std::string show(const std::optional<Value>& value) {
  return value ? show(*value) : "none";
}
template <class Value>
std::string show(const std::vector<Value>& values) {
  std::string text = "[";
  for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + show(value);
  return text + ']';
}

template <class... Fields>
std::string join(std::string_view name, const Fields&... fields) {
  std::string text(name);
  text += '{';
  [[maybe_unused]] std::string_view separator;
  ((text += separator, text += show(fields), separator = ", "), ...);
  return text + '}';
}

std::string show(const Address& address) {
  const auto& [street, number, neighborhood, complement, zip_code, city, state, country] = address;
  return join("Address", street, number, neighborhood, complement, zip_code, city, state, country);
}
std::string show(const CustomerDetails& details) {
  const auto& [name, document, email, phone, address] = details;
  return join("CustomerDetails", name, document, email, phone, address);
}
std::string show(const StoreSettings& settings) {
  const auto& [name, pix_key, merchant, city, max_amount, minutes, verify, fee_fixed, fee_points, dev_mode] =
      settings;
  return join("StoreSettings", name, pix_key, merchant, city, max_amount, minutes, verify, fee_fixed,
              fee_points, dev_mode);
}
std::string show(const Connection& connection) {
  const auto& [id, alias, provider_id, provider_name, environment] = connection;
  return join("Connection", id, alias, provider_id, provider_name, environment);
}
std::string show(const CustomerBlock& block) {
  const auto& [type, reason, expires_at, blocked_at] = block;
  return join("CustomerBlock", type, reason, expires_at, blocked_at);
}
std::string show(const Channel::RetiringSecret& retiring) {
  const auto& [secret, until] = retiring;
  return join("RetiringSecret", secret, until);
}
std::string show(const BlocklistEntry& entry) {
  const auto& [id, value, reason, created_at] = entry;
  return join("BlocklistEntry", id, value, reason, created_at);
}
std::string show(const Payment& payment) {
  const auto& [id, amount, paid_at, fee] = payment;
  return join("Payment", id, amount, paid_at, fee);
}
std::string show(const UnappliedPayment& payment) {
  const auto& [id, amount, paid_at, received_at, flag] = payment;
  return join("UnappliedPayment", id, amount, paid_at, received_at, flag);
}

struct DescribeEvent {
  template <class... Events>
  std::string operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }

  std::string operator()(const ProjectCreated& event) const {
    const auto& [id, settings, connections] = event;
    return join("ProjectCreated", id, settings, connections);
  }
  std::string operator()(const StoreSettingsChanged& event) const {
    const auto& [settings] = event;
    return join("StoreSettingsChanged", settings);
  }
  std::string operator()(const ConnectionAdded& event) const {
    const auto& [connection] = event;
    return join("ConnectionAdded", connection);
  }
  std::string operator()(const ApiKeyIssued& event) const {
    const auto& [id, project, environment, hash, scopes, sandbox_only, expires_at, callers] = event;
    return join("ApiKeyIssued", id, project, environment, hash, scopes, sandbox_only, expires_at, callers);
  }
  std::string operator()(const ApiKeyExpirySet& event) const {
    const auto& [expires_at] = event;
    return join("ApiKeyExpirySet", expires_at);
  }
  std::string operator()(const ApiKeyRevoked&) const { return join("ApiKeyRevoked"); }
  std::string operator()(const ChannelAdded& event) const {
    const auto& [id, project, name, url, events, version, secret, hint, sandbox_only] = event;
    return join("ChannelAdded", id, project, name, url, events, version, secret, hint, sandbox_only);
  }
  std::string operator()(const ChannelChanged& event) const {
    const auto& [name, url, events, version, is_active] = event;
    return join("ChannelChanged", name, url, events, version, is_active);
  }
  std::string operator()(const ChannelDeleted& event) const {
    const auto& [id, project] = event;
    return join("ChannelDeleted", id, project);
  }
  std::string operator()(const ChannelSecretRotated& event) const {
    const auto& [secret, hint, grace_ends_at] = event;
    return join("ChannelSecretRotated", secret, hint, grace_ends_at);
  }
  std::string operator()(const ChannelDisabled& event) const {
    const auto& [reason] = event;
    return join("ChannelDisabled", reason);
  }
  std::string operator()(const ChannelTestRequested& event) const {
    const auto& [delivery, environment] = event;
    return join("ChannelTestRequested", delivery, environment);
  }
  std::string operator()(const DeliveryRedeliveryRequested& event) const {
    const auto& [delivery, attempts] = event;
    return join("DeliveryRedeliveryRequested", delivery, attempts);
  }
  std::string operator()(const DeliveriesRecoveryRequested& event) const {
    const auto& [since, until, queued] = event;
    return join("DeliveriesRecoveryRequested", since, until, queued);
  }
  std::string operator()(const BlocklistEntryAdded& event) const {
    const auto& [id, project, value, reason] = event;
    return join("BlocklistEntryAdded", id, project, value, reason);
  }
  std::string operator()(const BlocklistEntryRemoved& event) const {
    const auto& [id] = event;
    return join("BlocklistEntryRemoved", id);
  }
  std::string operator()(const CustomerRegistered& event) const {
    const auto& [id, project, details] = event;
    return join("CustomerRegistered", id, project, details);
  }
  std::string operator()(const CustomerUpdated& event) const {
    const auto& [details] = event;
    return join("CustomerUpdated", details);
  }
  std::string operator()(const CustomerBlocked& event) const {
    const auto& [type, reason, expires_at] = event;
    return join("CustomerBlocked", type, reason, expires_at);
  }
  std::string operator()(const CustomerUnblocked&) const { return join("CustomerUnblocked"); }
  std::string operator()(const CustomerErased& event) const {
    const auto& [id, reason] = event;
    return join("CustomerErased", id, reason);
  }
  std::string operator()(const ChargeCreated& event) const {
    const auto& [id, project, environment, customer, connection, external_id, amount, product, quantity,
                 origin_host, expires_at, pix_code, customer_ip] = event;
    return join("ChargeCreated", id, project, environment, customer, connection, external_id, amount, product,
                quantity, origin_host, expires_at, pix_code, customer_ip);
  }
  std::string operator()(const ChargePaid& event) const {
    const auto& [id, amount, paid_at, fee] = event;
    return join("ChargePaid", id, amount, paid_at, fee);
  }
  std::string operator()(const ChargeProcessingStarted&) const { return join("ChargeProcessingStarted"); }
  std::string operator()(const ChargeExpired&) const { return join("ChargeExpired"); }
  std::string operator()(const ChargeCancelled&) const { return join("ChargeCancelled"); }
  std::string operator()(const ChargeFailed& event) const {
    const auto& [reason] = event;
    return join("ChargeFailed", reason);
  }
  std::string operator()(const ChargeRefunded& event) const {
    const auto& [amount, reason] = event;
    return join("ChargeRefunded", amount, reason);
  }
  std::string operator()(const PaymentLeftUnapplied& event) const {
    const auto& [id, amount, paid_at, flag] = event;
    return join("PaymentLeftUnapplied", id, amount, paid_at, flag);
  }
  std::string operator()(const UnappliedPaymentAccepted& event) const {
    const auto& [id, fee] = event;
    return join("UnappliedPaymentAccepted", id, fee);
  }
  std::string operator()(const UnappliedPaymentReturned& event) const {
    const auto& [id, reason] = event;
    return join("UnappliedPaymentReturned", id, reason);
  }
  std::string operator()(const ChargeRefused& event) const {
    const auto& [project, customer, type, amount, product] = event;
    return join("ChargeRefused", project, customer, type, amount, product);
  }
};

struct DescribeState {
  std::string operator()(const Project& state) const {
    const auto& [id, settings, connections, created_at] = state;
    return join("Project", id, settings, connections, created_at);
  }
  std::string operator()(const ApiKey& state) const {
    const auto& [id, project, environment, hash, scopes, sandbox_only, expires_at, callers, issued_at,
                 revoked_at, issued_until] = state;
    return join("ApiKey", id, project, environment, hash, scopes, sandbox_only, expires_at, callers,
                issued_at, revoked_at, issued_until);
  }
  std::string operator()(const Channel& state) const {
    const auto& [id, project, name, url, events, version, secret, hint, sandbox_only, is_active, reason,
                 retiring, active_since, created_at, updated_at] = state;
    return join("Channel", id, project, name, url, events, version, secret, hint, sandbox_only, is_active,
                reason, retiring, active_since, created_at, updated_at);
  }
  std::string operator()(const Blocklist& state) const {
    const auto& [entries] = state;
    return join("Blocklist", entries);
  }
  std::string operator()(const Customer& state) const {
    const auto& [id, project, details, block, created_at, updated_at, erased_at] = state;
    return join("Customer", id, project, details, block, created_at, updated_at, erased_at);
  }
  std::string operator()(const Charge& state) const {
    const auto& [id, project, environment, customer, connection, external_id, amount, product, quantity,
                 origin_host, expires_at, pix_code, status, payment, refunded, expired_at, refunded_at,
                 failed_at, unapplied, returned, created_at, updated_at] = state;
    return join("Charge", id, project, environment, customer, connection, external_id, amount, product,
                quantity, origin_host, expires_at, pix_code, status, payment, refunded, expired_at,
                refunded_at, failed_at, unapplied, returned, created_at, updated_at);
  }
};

}  // namespace

std::string describe(const Event& event) { return std::visit(DescribeEvent{}, event); }
std::string describe(const AggregateState& state) { return std::visit(DescribeState{}, state); }

std::string describe(const Outcome& outcome) {
  std::string text =
      outcome.done() ? "done" : "refused for " + std::to_string(static_cast<int>(*outcome.rejection));
  if (outcome.flag) text += ", flagged " + show(*outcome.flag);
  return text;
}

std::string describe(const NewEvent& event) { return event.stream.text() + ": " + describe(event.event); }
std::string describe(const RecordedEvent& event) {
  return event.stream.text() + ": " + describe(event.event);
}

}  // namespace pixledger::tests
