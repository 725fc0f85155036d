#include "eventstore/codec/store_settings_json.h"

#include "base/platform/sha256.h"

namespace pixledger::eventstore {
namespace {

template <class Value>
const Value& shown(const Value& value) {
  return value;
}
std::optional<std::string> shown(const std::optional<domain::PixKey>& key) {
  return key ? std::optional(domain::masked(*key)) : std::nullopt;
}

// An image is long.
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
