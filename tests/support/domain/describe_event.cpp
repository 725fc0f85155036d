#include "tests/support/domain/describe_event.h"

#include <string_view>
#include <type_traits>
#include <variant>

#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"

namespace pixledger::tests {
namespace {

using namespace domain;

std::string show(const std::string& text) { return '"' + text + '"'; }
std::string show(bool value) { return value ? "yes" : "no"; }
std::string show(Timestamp moment) { return std::to_string(moment.millis()) + " ms"; }
std::string show(Cents amount) { return to_decimal(amount); }
std::string show(const ScopeSet& scopes) { return scopes.text(); }
std::string show(const WebhookEventSet& events) { return events.text(); }
std::string show(const EnvironmentSet& environments) { return environments.text(); }
std::string show(const IpAddress& address) { return address.text(); }
std::string show(const Cidr& range) { return range.text(); }
std::string show(const SealedSecret& secret) { return show(secret.bytes); }
std::string show(const BlocklistValue& value) { return std::string(type_of(value)) + ' ' + text_of(value); }
std::string show(ChargeStatus status) { return std::string(to_string(status)); }
std::string show(PaymentFlag flag) { return std::string(to_string(flag)); }
std::string show(CodeKind kind) { return std::string(to_string(kind)); }
std::string show(CodeFallback fallback) { return std::string(to_string(fallback)); }
std::string show(RefundStatus status) { return std::string(to_string(status)); }
std::string show(RefundOrigin origin) { return std::string(to_string(origin)); }
std::string show(Environment environment) { return std::string(to_string(environment)); }
std::string show(WebhookVersion version) { return std::string(to_string(version)); }
std::string show(ChannelDisabledReason reason) { return std::string(to_string(reason)); }
std::string show(BlockType type) { return std::string(to_string(type)); }
std::string show(FraudType type) { return std::string(to_string(type)); }
std::string show(UnmatchedReason reason) { return std::string(to_string(reason)); }
std::string show(UnmatchedState state) { return std::string(to_string(state)); }
std::string show(ConnectionState state) { return std::string(to_string(state)); }
std::string show(CheckoutLocale locale) { return std::string(to_string(locale)); }
std::string show(CheckoutStatus status) { return std::string(to_string(status)); }
std::string show(Role role) { return std::string(to_string(role)); }
std::string show(TokenAuth auth) { return std::string(to_string(auth)); }
std::string show(const ApiKeyHash& hash) { return show(std::string(hash.begin(), hash.end())); }
template <class Number>
std::enable_if_t<std::is_integral_v<Number>, std::string> show(Number number) {
  return std::to_string(number);
}
// Value types that hold their text.
template <class Value>
auto show(const Value& value)
    -> std::enable_if_t<std::is_same_v<decltype(value.text()), const std::string&>, std::string> {
  return show(value.text());
}

std::string show(const Metadata& metadata) {
  std::string text = "{";
  for (const auto& [key, value] : metadata.entries())
    text += (text.size() > 1 ? ", " : "") + show(key.text()) + ": " + show(value.text());
  return text + '}';
}
template <Described T>
std::string show(const T& value);
std::string show(const Channel::RetiringSecret& retiring);
std::string show(const BlocklistEntry& entry);

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

template <Described T>
std::string show(const T& value) {
  static_assert(names_every_member<T>());
  return with_fields<T>([&](const auto&... fields) { return join("", fields.of(value)...); });
}
std::string show(const Channel::RetiringSecret& retiring) {
  const auto& [secret, until] = retiring;
  return join("RetiringSecret", secret, until);
}
std::string show(const BlocklistEntry& entry) {
  const auto& [id, value, reason, created_at] = entry;
  return join("BlocklistEntry", id, value, reason, created_at);
}
struct DescribeEvent {
  template <class... Events>
  std::string operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }
  template <class Event>
  std::string operator()(const Event& event) const {
    return std::string(kind_of<Event>().name) + show(event);
  }
};

struct DescribeState {
  std::string operator()(const Project& state) const {
    const auto& [id, settings, connections, created_at, live_default, sandbox_default] = state;
    return join("Project", id, settings, connections, created_at, live_default, sandbox_default);
  }
  std::string operator()(const ApiKey& state) const {
    const auto& [id, project, environment, hash, scopes, sandbox_only, expires_at, callers, issued_at,
                 revoked_at, issued_until, name, last_four] = state;
    return join("ApiKey", id, project, environment, hash, scopes, sandbox_only, expires_at, callers,
                issued_at, revoked_at, issued_until, name, last_four);
  }
  std::string operator()(const Channel& state) const {
    const auto& [id, project, name, url, events, version, secret, hint, environments, was_told_of_live,
                 is_active, reason, retiring, active_since, created_at, updated_at, checkout_session] = state;
    return join("Channel", id, project, name, url, events, version, secret, hint, environments,
                was_told_of_live, is_active, reason, retiring, active_since, created_at, updated_at,
                checkout_session);
  }
  std::string operator()(const Blocklist& state) const {
    const auto& [entries] = state;
    return join("Blocklist", entries);
  }
  std::string operator()(const Customer& state) const { return "Customer" + show(state); }
  std::string operator()(const Charge& state) const { return "Charge" + show(state); }
  std::string operator()(const UnmatchedPayment& state) const { return "UnmatchedPayment" + show(state); }
  std::string operator()(const CheckoutSession& state) const { return "CheckoutSession" + show(state); }
  std::string operator()(const Team& state) const { return "Team" + show(state); }
  std::string operator()(const BankConnection& state) const {
    const auto& [id, project, configuration, revision, callback_url, configured_at, created_at] = state;
    return join("BankConnection", id, project, configuration, revision, callback_url, configured_at,
                created_at);
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
