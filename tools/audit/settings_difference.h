#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include "domain/aggregates/field.h"
#include "domain/values/cents.h"

// What a change of settings changed, from the description of their fields.
namespace pixledger::tools {

inline std::string setting_text(const std::string& text) { return text; }
inline std::string setting_text(bool truth) { return truth ? "yes" : "no"; }
inline std::string setting_text(domain::Cents amount) { return domain::to_decimal(amount); }
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

// "name Loja → Loja Azul, feeFixedCents 0.00 → 0.25"; empty when nothing differs.
template <domain::Described T>
std::string settings_difference(const T& before, const T& after) {
  std::string text;
  domain::for_each_field<T>([&](const auto& field) {
    if (field.of(before) == field.of(after)) return;
    text += (text.empty() ? "" : ", ") + std::string(field.name) + " " + setting_text(field.of(before)) +
            " → " + setting_text(field.of(after));
  });
  return text;
}

}  // namespace pixledger::tools
