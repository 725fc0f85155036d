#include "eventstore/codec/store_settings_json.h"

namespace pixledger::eventstore {
namespace {

template <class Value>
const Value& shown(const Value& value) {
  return value;
}
std::optional<std::string> shown(const std::optional<domain::PixKey>& key) {
  return key ? std::optional(domain::masked(*key)) : std::nullopt;
}

}  // namespace

void write_store_settings(Json& json, const domain::StoreSettings& settings) {
  domain::for_each_field<domain::StoreSettings>(
      [&](const auto& field) { json.field(field.feed_name, shown(field.of(settings))); });
}

void write_settings_change(Json& json, const domain::StoreSettings& before,
                           const domain::StoreSettings& after) {
  json.key("changed").begin_array();
  domain::for_each_field<domain::StoreSettings>([&](const auto& field) {
    if (field.of(before) != field.of(after)) json.value(field.feed_name);
  });
  json.end_array();
  json.key("before").begin_object();
  write_store_settings(json, before);
  json.end_object().key("after").begin_object();
  write_store_settings(json, after);
  json.end_object();
}

}  // namespace pixledger::eventstore
