#include "http/api/events/event_json.h"

#include <type_traits>

#include "domain/aggregates/event_kinds.h"
#include "domain/aggregates/field.h"
#include "eventstore/reading/state_reader.h"
#include "http/json/json_time.h"

namespace pixledger::http {
namespace {

using domain::Charge;
using domain::RecordedEvent;

std::string_view name_of(const RecordedEvent& event, const std::optional<Charge>& charge) {
  const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
  if (of_charge && std::holds_alternative<domain::ChargeRefunded>(*of_charge) &&
      charge->status != domain::ChargeStatus::kRefunded)
    return "transaction.partially_refunded";
  return domain::kind_of(event.event).feed_name;
}

// Members of the object that is open. What consists of fields has these in its place, whether there is one or
// not.
class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& json) : json_(json) {}

  template <class Field, class Owner>
  void write_field(const Field& field, const Owner& owner) const {
    if constexpr (Field::kKind != domain::FieldKind::kSecret)
      if (field.feed_name) write(field.feed_name, field.of(owner));
  }

 private:
  void write(const char* name, bool value) const { json_.boolean(name, value); }
  void write(const char* name, domain::Cents amount) const { json_.integer(name, amount.value()); }
  void write(const char* name, domain::Timestamp time) const { write_time(json_, name, time); }
  void write(const char* name, const std::string& text) const { json_.text(name, text); }
  template <class T>
  void write(const char* name, const T& value) const {
    if constexpr (std::is_integral_v<T>)
      json_.integer(name, static_cast<std::int64_t>(value));
    else if constexpr (std::is_enum_v<T>)
      json_.text(name, domain::to_string(value));
    else if constexpr (domain::Described<T>)
      domain::for_each_field<T>([&](const auto& field) { write_field(field, value); });
    else
      json_.text(name, value.text());
  }
  // Of what a store sets, merchants are told this.
  void write(const char*, const domain::StoreSettings& settings) const {
    json_.text("name", settings.name.text());
    json_.boolean("devMode", settings.dev_mode);
    json_.integer("pixExpirationMinutes", settings.pix_expiration_minutes);
    json_.integer("maxTransactionAmountCents", settings.max_transaction_amount.value());
  }
  void write(const char* name, const domain::BlocklistValue& value) const {
    json_.text("type", domain::type_of(value)).text(name, domain::text_of(value));
  }
  template <class T>
  void write(const char* name, const std::optional<T>& value) const {
    if (value)
      write(name, *value);
    else
      write_nothing<T>(name);
  }
  template <class T>
  void write(const char*, const std::vector<T>&) const {}  // no list is shown

  template <class T>
  void write_nothing(const char* name) const {
    if constexpr (std::is_same_v<T, domain::BlocklistValue>) json_.null("type");
    if constexpr (domain::Described<T>)
      domain::for_each_field<T>(
          [this]<class Field>(const Field& field) { write_nothing<typename Field::Value>(field.feed_name); });
    else
      json_.null(name);
  }

  JsonWriter& json_;
};

// The members of `data`: the event's fields, and what it does not say itself.
struct DataWriter {
  JsonWriter& json;
  const RecordedEvent& recorded;
  const std::optional<Charge>& charge;

  template <class... Events>
  void operator()(const std::variant<Events...>& event) const {
    std::visit(*this, event);
  }
  void operator()(const domain::ApiKeyEvent& event) const {
    json.text("keyId", recorded.stream.key());
    std::visit(*this, event);
  }
  void operator()(const domain::ChannelEvent& event) const {
    json.text("channelId", recorded.stream.key());
    std::visit(*this, event);
  }
  template <class Event>
  void operator()(const Event& event) const {
    const FieldWriter writer(json);
    domain::for_each_field<Event>([&](const auto& field) {
      writer.write_field(field, event);
      add_after(std::string_view(field.name), event);
    });
  }

 private:
  // What the feed has after the field of that name.
  template <class Event>
  void add_after(std::string_view, const Event&) const {}
  void add_after(std::string_view field, const domain::ChargeCreated& event) const {
    if (field == "environment")
      json.text("externalId", event.external_id ? event.external_id->text() : event.id.text());
    if (field == "originDomain") json.text("connectionId", event.connection.text());
  }
  void add_after(std::string_view field, const domain::ChargeRefunded&) const {
    if (field == "amountCents") json.integer("refundedAmountCents", charge->refunded.value());
  }
  void add_after(std::string_view field, const domain::UnappliedPaymentAccepted&) const {
    if (field != "endToEndId") return;
    if (!charge->payment)
      throw eventstore::LogCorrupt("a payment was accepted that its charge does not have");
    json.integer("amountCents", charge->payment->amount.value());
    write_time(json, "paidAt", charge->payment->paid_at);
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

void write_event(JsonWriter& json, const eventstore::Log& log, const RecordedEvent& event) {
  const auto charge = charge_of(log, event);
  json.text("event", name_of(event, charge));
  json.text_or_null("transactionId", charge ? std::optional(charge->id.text()) : std::nullopt);
  json.text_or_null("customerId", customer_of(log, event, charge));
  write_time(json, "occurredAt", event.recorded_at);
  json.key("data").begin_object();
  std::visit(DataWriter{json, event, charge}, event.event);
  json.end_object();
}

}  // namespace pixledger::http
