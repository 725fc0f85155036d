#include "eventstore/codec/event_json.h"

#include <concepts>

#include "base/platform/sha256.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"

namespace pixledger::eventstore {
namespace {

using domain::FieldKind;

struct Out {
  Json& json;
  const TimeText& times;
};

template <domain::Described T>
void write_fields(const Out& out, const T& value);

template <class T>
requires std::integral<T>
void write_value(const Out& out, T number) { out.json.value(number); }
template <class T>
requires std::is_enum_v<T>
void write_value(const Out& out, T value) { out.json.value(domain::to_string(value)); }
void write_value(const Out& out, Timestamp time) { out.json.value(out.times(time)); }
void write_value(const Out& out, domain::Cents amount) { out.json.value(amount.value()); }
void write_value(const Out& out, const std::string& text) { out.json.value(text); }
template <class T>
requires requires(const T& value) { value.text(); }
void write_value(const Out& out, const T& value) { out.json.value(value.text()); }
template <domain::Described T>
void write_value(const Out& out, const T& value) {
  out.json.begin_object();
  write_fields(out, value);
  out.json.end_object();
}
template <class T>
void write_value(const Out& out, const std::vector<T>& values) {
  out.json.begin_array();
  for (const auto& value : values) write_value(out, value);
  out.json.end_array();
}
template <class T>
void write_value(const Out& out, const std::optional<T>& value) {
  if (value)
    write_value(out, *value);
  else
    out.json.null();
}

template <class T>
void write_member(const Out& out, const char* name, const T& value) {
  out.json.key(name);
  write_value(out, value);
}
void write_member(const Out& out, const char* name, const std::optional<domain::BlocklistValue>& value) {
  out.json.field("type", value ? std::optional(domain::type_of(*value)) : std::nullopt);
  out.json.field(name, value ? std::optional(domain::text_of(*value)) : std::nullopt);
}

// Omitted if empty, so that events from before metadata existed are written as before.
void write_member(const Out& out, const char* name, const domain::Metadata& metadata) {
  if (!metadata.empty()) out.json.field(name, metadata);
}
void write_member(const Out& out, const char* name, const std::optional<domain::Metadata>& metadata) {
  if (metadata) write_member(out, name, *metadata);
}

// Also omitted for an enabled connection, or one that is not to a bank.
void write_member(const Out& out, const char* name, domain::ConnectionState state) {
  if (state != domain::ConnectionState::kEnabled) out.json.field(name, domain::to_string(state));
}
void write_member(const Out& out, const char* name, const std::optional<domain::ApiPix>& terms) {
  if (!terms) return;
  out.json.key(name);
  write_value(out, *terms);
}

template <domain::Described T>
void write_fields(const Out& out, const T& value) {
  domain::for_each_field<T>([&]<class Field>(const Field& field) {
    if constexpr (Field::kKind != FieldKind::kSecret) {
      if constexpr (domain::Described<typename Field::Value>) {
        if (field.flat) return write_fields(out, field.of(value));
      }
      if constexpr (requires { !field.of(value); })
        if (field.only_if_set && !field.of(value)) return;
      write_member(out, field.name, field.of(value));
    }
  });
}

struct DataWriter {
  const Out out;

  template <class... Events>
  void operator()(const std::variant<Events...>& event) const {
    std::visit(*this, event);
  }
  template <class Event>
  void operator()(const Event& event) const {
    write_fields(out, event);
  }
};

}  // namespace

void write_event(Json& json, const domain::RecordedEvent& event, const TimeText& times) {
  std::optional<std::string> request_id;
  if (!event.request_id.empty()) request_id = event.request_id;
  json.begin_object()
      .field("position", event.position.value())
      .field("stream", event.stream.text())
      .field("version", event.version)
      .field("type", domain::kind_of(event.event).name)
      .field("recordedAt", times(event.recorded_at))
      .field("actor", event.actor)
      .field("requestId", request_id);
  json.key("data").begin_object();
  std::visit(DataWriter{{json, times}}, event.event);
  json.end_object().end_object();
}

void write_settings_fields(Json& json, const domain::StoreSettings& settings) {
  write_fields({json, to_iso8601}, settings);
}
void write_connections(Json& json, const std::vector<domain::Connection>& connections) {
  write_value({json, to_iso8601}, connections);
}

namespace {

template <class Value>
const Value& shown(const Value& value) {
  return value;
}
std::optional<std::string> shown(const std::optional<domain::PixKey>& key) {
  return key ? std::optional(domain::masked(*key)) : std::nullopt;
}

// The image itself is too long.
std::optional<std::string> shown(const std::optional<domain::StoreLogo>& logo) {
  return logo ? std::optional("sha256:" + to_hex(sha256(logo->image()))) : std::nullopt;
}

enum class SettingsFields { kBasic, kAllThatAreSet };

void write(Json& json, const domain::StoreSettings& settings, SettingsFields which) {
  domain::for_each_field<domain::StoreSettings>([&](const auto& field) {
    if constexpr (requires { !field.of(settings); })
      if (field.only_if_set && (which == SettingsFields::kBasic || !field.of(settings))) return;
    json.field(field.feed_name, shown(field.of(settings)));
  });
}

}  // namespace

void write_store_settings(Json& json, const domain::StoreSettings& settings) {
  write(json, settings, SettingsFields::kBasic);
}

void write_settings_change(Json& json, const domain::StoreSettings& before,
                           const domain::StoreSettings& after) {
  json.key("changed").begin_array();
  domain::for_each_field<domain::StoreSettings>([&](const auto& field) {
    if (field.of(before) != field.of(after)) json.value(field.feed_name);
  });
  json.end_array();
  json.key("before").begin_object();
  write(json, before, SettingsFields::kAllThatAreSet);
  json.end_object().key("after").begin_object();
  write(json, after, SettingsFields::kAllThatAreSet);
  json.end_object();
}

}  // namespace pixledger::eventstore
