#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/cents.h"

// What a change of settings changed, from the description of their fields.
namespace pixledger::tools {

inline std::string setting_text(const std::string& text) { return text; }
inline std::string setting_text(bool truth) { return truth ? "yes" : "no"; }
inline std::string setting_text(domain::Cents amount) { return domain::to_decimal(amount); }
inline std::string setting_text(Timestamp moment) { return to_iso8601(moment); }
template <class T>
requires(std::is_class_v<T>&& domain::Described<T>) std::string setting_text(const T& value);
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

// "pixKey loja@example.com, code dynamic"; nothing that is secret.
template <class T>
requires(std::is_class_v<T>&& domain::Described<T>) std::string setting_text(const T& value) {
  std::string text;
  domain::for_each_field<T>([&]<class Field>(const Field& field) {
    if constexpr (Field::kKind != domain::FieldKind::kSecret)
      text += (text.empty() ? "" : ", ") + std::string(field.name) + " " + setting_text(field.of(value));
  });
  return text;
}

// Settings that consist of others, which both may have.
template <class T>
constexpr bool kHoldsSettings = false;
template <domain::Described T>
constexpr bool kHoldsSettings<std::optional<T>> = std::is_class_v<T>;

// "name Loja → Loja Azul, feeFixedCents 0.00 → 0.25"; empty when nothing that may be shown differs.
template <domain::Described T>
std::string settings_difference(const T& before, const T& after) {
  std::string text;
  domain::for_each_field<T>([&]<class Field>(const Field& field) {
    if constexpr (Field::kKind != domain::FieldKind::kSecret) {
      const auto& was = field.of(before);
      const auto& is = field.of(after);
      if (was == is) return;
      if (!text.empty()) text += ", ";
      if constexpr (kHoldsSettings<typename Field::Value>) {
        if (was && is) {
          text += settings_difference(*was, *is);
          return;
        }
      }
      text += std::string(field.name) + " " + setting_text(was) + " → " + setting_text(is);
    }
  });
  return text;
}

}  // namespace pixledger::tools
