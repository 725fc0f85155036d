#include "http/api/events/event_json.h"

#include <type_traits>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/log/stream_events.h"

namespace pixledger::http {
namespace {

using domain::RecordedEvent;

// Between two changes of settings there are at most as many events as a project has connections.
constexpr std::uint32_t kBetweenSettingsMax = domain::kConnectionsPerProjectMax;

const domain::StoreSettings* settings_in(const RecordedEvent& event) {
  const auto* of_project = std::get_if<domain::ProjectEvent>(&event.event);
  if (!of_project) return nullptr;
  if (const auto* created = std::get_if<domain::ProjectCreated>(of_project)) return &created->settings;
  const auto* changed = std::get_if<domain::StoreSettingsChanged>(of_project);
  return changed ? &changed->settings : nullptr;
}

void fold_in(std::optional<domain::Charge>& charge, const RecordedEvent& event) {
  charge = domain::apply(std::move(charge), std::get<domain::ChargeEvent>(event.event), event.recorded_at);
}

// The last settings after a version and before `event`; nullopt if there were none.
std::optional<domain::StoreSettings> last_settings(const eventstore::Log& log, std::uint32_t after_version,
                                                   const RecordedEvent& event) {
  std::optional<domain::StoreSettings> last;
  const Position before(event.position.value() - 1);
  for (const auto& stored : eventstore::StreamEvents(log, event.stream, after_version, before)) {
    const auto earlier = eventstore::decode(stored);
    if (const auto* settings = settings_in(earlier)) last = *settings;
  }
  return last;
}

using domain::Charge;

// Writes members of the open object. A value of several fields is flattened into them, also if it is absent.
class FieldWriter {
 public:
  FieldWriter(Json& json, PersonalData personal) : json_(json), personal_(json, personal) {}

  template <class Field, class Owner>
  void write_field(const Field& field, const Owner& owner) const {
    if constexpr (Field::kKind == domain::FieldKind::kPersonal) {
      if (field.feed_name) write_personal(field.feed_name, field.of(owner));
    } else if constexpr (Field::kKind != domain::FieldKind::kSecret) {
      if (field.feed_name) write(field.feed_name, field.of(owner));
    }
  }

 private:
  template <class T>
  void write(const char* name, const T& value) const {
    if constexpr (domain::Described<T>)
      domain::for_each_field<T>([&](const auto& field) { write_field(field, value); });
    else
      json_.field(name, value);
  }
  // The settings that merchants see.
  void write(const char*, const domain::StoreSettings& settings) const {
    json_.field("name", settings.name);
    json_.field("devMode", settings.dev_mode);
    json_.field("pixExpirationMinutes", settings.pix_expiration_minutes);
    json_.field("maxTransactionAmountCents", settings.max_transaction_amount);
  }
  template <class T>
  void write(const char* name, const std::optional<T>& value) const {
    if (value)
      write(name, *value);
    else
      write_nothing<T>(name);
  }
  template <class T>
  void write(const char*, const std::vector<T>&) const {}  // lists are not shown

  template <class T>
  void write_personal(const char* name, const std::optional<T>& value) const {
    if (value)
      write_personal(name, *value);
    else
      write_nothing<T>(name);
  }
  template <class T>
  void write_personal(const char* name, const T& value) const {
    personal_.field(name, value);
  }
  void write_personal(const char*, const domain::CustomerDetails& details) const {
    domain::for_each_field<domain::CustomerDetails>(
        [&](const auto& field) { write_personal(field.name, field.of(details)); });
  }
  void write_personal(const char*, const domain::Address& address) const { personal_.fields(address); }
  void write_personal(const char* name, const domain::BlocklistValue& value) const {
    json_.field("type", domain::type_of(value));
    personal_.field(name, value);
  }
  // A charge's metadata is always an object.
  void write_personal(const char* name, const std::optional<domain::Metadata>& metadata) const {
    personal_.field(name, metadata.value_or(domain::Metadata()));
  }

  template <class T>
  void write_nothing(const char* name) const {
    if constexpr (std::is_same_v<T, domain::BlocklistValue>) json_.null("type");
    if constexpr (domain::Described<T>)
      domain::for_each_field<T>([this]<class Field>(const Field& field) {
        this->template write_nothing<typename Field::Value>(field.feed_name);
      });
    else
      json_.null(name);
  }

  Json& json_;
  const PersonalJson personal_;
};

// Writes the members of `data`: the event's fields and what it lacks.
struct DataWriter {
  Json& json;
  const RecordedEvent& recorded;
  const Charge* charge;  // null if the event is not of a charge
  PageStates& states;
  PersonalData personal;

  template <class... Events>
  void operator()(const std::variant<Events...>& event) const {
    std::visit(*this, event);
  }
  void operator()(const domain::ApiKeyEvent& event) const {
    json.field("keyId", recorded.stream.key());
    std::visit(*this, event);
  }
  void operator()(const domain::StoreSettingsChanged& event) const {
    write_fields(event);
    eventstore::write_settings_change(json, states.settings_before(recorded), event.settings);
  }
  void operator()(const domain::ChannelEvent& event) const {
    json.field("channelId", recorded.stream.key());
    std::visit(*this, event);
  }
  void operator()(const domain::CheckoutEvent& event) const {
    json.field("checkoutSessionId", recorded.stream.key());
    std::visit(*this, event);
  }
  // The details of a bank's interface are for operators only.
  void operator()(const domain::BankConnectionEvent& event) const {
    json.field("connectionId", recorded.stream.key());
    std::visit(*this, event);
  }
  template <class Event>
  void operator()(const Event& event) const {
    write_fields(event);
  }

 private:
  template <class Event>
  void write_fields(const Event& event) const {
    const FieldWriter writer(json, personal);
    domain::for_each_field<Event>([&](const auto& field) {
      writer.write_field(field, event);
      add_after(std::string_view(field.name), event);
    });
  }
  // Fields that the feed adds after the field of that name.
  template <class Event>
  void add_after(std::string_view, const Event&) const {}
  void add_after(std::string_view field, const domain::ConnectionChanged& event) const {
    if (field == "connection") json.field("isEnabled", event.connection.is_enabled());
  }
  void add_after(std::string_view field, const domain::ChargeCreated& event) const {
    if (field == "environment")
      json.field("externalId", event.external_id ? event.external_id->text() : event.id.text());
    if (field == "originDomain") json.field("connectionId", event.connection.text());
    if (field == "metadata" && event.checkout_session)
      json.field("checkoutSessionId", *event.checkout_session);
  }
  void add_after(std::string_view field, const domain::ChannelAdded& event) const {
    if (field == "environments" && event.checkout_session)
      json.field("checkoutSessionId", *event.checkout_session);
  }
  void add_after(std::string_view field, const domain::ChargeRefunded&) const {
    if (field == "amountCents") json.field("refundedAmountCents", charge->refunded);
  }
  void add_after(std::string_view field, const domain::PaymentReversed&) const {
    if (field == "amountCents") json.field("refundedAmountCents", charge->refunded).null("reason");
  }
  void add_after(std::string_view field, const domain::RefundDone& event) const {
    if (field != "refundId") return;
    const auto refund = domain::refund_done_by(event, *charge);
    if (!refund) throw eventstore::LogCorrupt("a refund was done that its charge does not have");
    json.field("amountCents", refund->amount);
    json.field("refundedAmountCents", charge->refunded);
    PersonalJson(json, personal).field("reason", refund->reason);
  }
  void add_after(std::string_view field, const domain::UnappliedPaymentAccepted&) const {
    if (field != "endToEndId") return;
    if (!charge->payment)
      throw eventstore::LogCorrupt("a payment was accepted that its charge does not have");
    json.field("amountCents", charge->payment->amount);
    json.field("paidAt", charge->payment->paid_at);
  }
  void add_after(std::string_view field, const domain::UnappliedPaymentAdded& event) const {
    if (field != "endToEndId") return;
    const auto counted = domain::counted_payment(*charge, event.end_to_end_id);
    if (!counted) throw eventstore::LogCorrupt("a payment was added that its charge does not have");
    json.field("amountCents", counted->payment.amount);
    json.field("paidAt", counted->payment.paid_at);
    json.field("paidAmountCents", charge->payment->amount);
  }
};

std::optional<domain::Environment> environment_of(const RecordedEvent& event, const Charge* charge) {
  if (charge) return charge->environment;
  if (const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event))
    return domain::environment_of(*of_session);
  return event.stream.environment();
}

std::optional<std::string> customer_of(PageStates& states, const RecordedEvent& event, const Charge* charge) {
  if (charge) return charge->customer.text();
  if (const auto* refusal = std::get_if<domain::RefusalEvent>(&event.event)) {
    const auto& customer = std::get<domain::ChargeRefused>(*refusal).customer;
    return customer ? std::optional(customer->text()) : std::nullopt;
  }
  if (event.stream.kind() != domain::StreamKind::kCustomer) return std::nullopt;
  return states.customer_of(event).text();
}

}  // namespace

const domain::Charge& PageStates::charge_with(const RecordedEvent& event) {
  auto& [charge, version] = charges_[event.stream];
  if (version + 1 < event.version) {
    const Position before(event.position.value() - 1);
    for (const auto& stored : eventstore::StreamEvents(log_, event.stream, version, before))
      fold_in(charge, eventstore::decode(stored));
  }
  if (version < event.version) fold_in(charge, event);
  version = event.version;
  if (!charge) throw eventstore::LogCorrupt("an event of a charge that was never created");
  return *charge;
}

domain::StoreSettings PageStates::settings_before(const RecordedEvent& event) {
  auto before = settings_ ? std::optional(settings_->second) : std::nullopt;
  const auto known = settings_ ? settings_->first : 0;
  if (known + 1 < event.version) {
    const auto far = event.version - 1 > kBetweenSettingsMax ? event.version - 2 - kBetweenSettingsMax : 0;
    if (auto later = last_settings(log_, std::max(known, far), event)) before = std::move(later);
  }
  if (!before) throw eventstore::LogCorrupt("the settings of a project that was never created");
  if (const auto* settings = settings_in(event)) settings_.emplace(event.version, *settings);
  return *std::move(before);
}

std::string_view feed_name_of(PageStates& states, const RecordedEvent& event) {
  const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
  const auto name = domain::kind_of(event.event).feed_name;
  if (of_charge && name == domain::kind_of<domain::ChargeRefunded>().feed_name &&
      states.charge_with(event).status != domain::ChargeStatus::kRefunded)
    return kPartialRefund;
  return name;
}

void write_event(Json& json, PageStates& states, const RecordedEvent& event, PersonalData personal) {
  const auto* charge =
      std::holds_alternative<domain::ChargeEvent>(event.event) ? &states.charge_with(event) : nullptr;
  json.field("event", feed_name_of(states, event));
  json.field("environment", environment_of(event, charge));
  json.field("transactionId", charge ? std::optional(charge->id.text()) : std::nullopt);
  json.field("customerId", customer_of(states, event, charge));
  json.field("occurredAt", event.recorded_at);
  json.key("data").begin_object();
  std::visit(DataWriter{json, event, charge, states, personal}, event.event);
  json.end_object();
}

}  // namespace pixledger::http
