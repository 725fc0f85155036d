#include "eventstore/codec/event_json.h"

#include <concepts>

#include "domain/aggregates/event_kinds.h"
#include "domain/aggregates/field.h"

namespace pixledger::eventstore {
namespace {

using domain::FieldKind;

template <domain::Described T>
void write_fields(Json& json, const T& value);

template <class T>
requires std::integral<T>
void write_value(Json& json, T number) { json.value(number); }
template <class T>
requires std::is_enum_v<T>
void write_value(Json& json, T value) { json.value(domain::to_string(value)); }
void write_value(Json& json, domain::Timestamp time) { json.value(domain::to_iso8601(time)); }
void write_value(Json& json, domain::Cents amount) { json.value(amount.value()); }
void write_value(Json& json, const std::string& text) { json.value(text); }
template <class T>
requires requires(const T& value) { value.text(); }
void write_value(Json& json, const T& value) { json.value(value.text()); }
template <domain::Described T>
void write_value(Json& json, const T& value) {
  json.begin_object();
  write_fields(json, value);
  json.end_object();
}
template <class T>
void write_value(Json& json, const std::vector<T>& values) {
  json.begin_array();
  for (const auto& value : values) write_value(json, value);
  json.end_array();
}
template <class T>
void write_value(Json& json, const std::optional<T>& value) {
  if (value)
    write_value(json, *value);
  else
    json.null();
}

template <class T>
void write_member(Json& json, const char* name, const T& value) {
  json.key(name);
  write_value(json, value);
}
void write_member(Json& json, const char* name, const std::optional<domain::BlocklistValue>& value) {
  json.field("type", value ? std::optional(domain::type_of(*value)) : std::nullopt);
  json.field(name, value ? std::optional(domain::text_of(*value)) : std::nullopt);
}

// Not shown where there is none: what was recorded before there was any reads as it did.
void write_member(Json& json, const char* name, const domain::Metadata& metadata) {
  if (!metadata.empty()) json.field(name, metadata);
}
void write_member(Json& json, const char* name, const std::optional<domain::Metadata>& metadata) {
  if (metadata) write_member(json, name, *metadata);
}

template <domain::Described T>
void write_fields(Json& json, const T& value) {
  domain::for_each_field<T>([&]<class Field>(const Field& field) {
    if constexpr (Field::kKind != FieldKind::kSecret) {
      if constexpr (domain::Described<typename Field::Value>) {
        if (field.flat) return write_fields(json, field.of(value));
      }
      write_member(json, field.name, field.of(value));
    }
  });
}

struct DataWriter {
  Json& json;

  template <class... Events>
  void operator()(const std::variant<Events...>& event) const {
    std::visit(*this, event);
  }
  template <class Event>
  void operator()(const Event& event) const {
    write_fields(json, event);
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
      .field("type", domain::kind_of(event.event).name)
      .field("recordedAt", domain::to_iso8601(event.recorded_at))
      .field("actor", event.actor)
      .field("requestId", request_id);
  json.key("data").begin_object();
  std::visit(DataWriter{json}, event.event);
  json.end_object().end_object();
}

void write_settings_fields(Json& json, const domain::StoreSettings& settings) {
  write_fields(json, settings);
}
void write_connections(Json& json, const std::vector<domain::Connection>& connections) {
  write_value(json, connections);
}

}  // namespace pixledger::eventstore
