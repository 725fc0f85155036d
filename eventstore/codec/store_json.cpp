#include "eventstore/codec/store_json.h"

#include "domain/aggregates/field.h"

namespace pixledger::eventstore {
namespace {

template <class T>
void write(Json& json, const char* name, const T& value) {
  json.field(name, value);
}
void write(Json& json, const char* name, const std::optional<domain::PixKey>& key) {
  json.field(name, key ? std::optional(key->masked()) : std::nullopt);
}

}  // namespace

void write_store_settings(Json& json, const domain::StoreSettings& settings) {
  domain::for_each_field<domain::StoreSettings>(
      [&](const auto& field) { write(json, field.feed_name, field.of(settings)); });
}

void write_store_change(Json& json, const domain::StoreSettings& before, const domain::StoreSettings& after) {
  json.key("changed").begin_array();
  domain::for_each_field<domain::StoreSettings>([&](const auto& field) {
    if (field.of(before) != field.of(after)) json.value(field.feed_name);
  });
  json.end_array().key("before").begin_object();
  write_store_settings(json, before);
  json.end_object().key("after").begin_object();
  write_store_settings(json, after);
  json.end_object();
}

}  // namespace pixledger::eventstore
