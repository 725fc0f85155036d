#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/timestamp.h"

// Reads the objects of a JSON text field by field. A name that occurs twice in an object is refused when it
// is asked for, since another reader would take the other value. Unknown names are ignored; a caller that
// refuses them compares the names in object().
namespace pixledger {

// A JSON text does not hold what its reader asks for. The text says where and what; it never repeats a value.
class JsonRefused : public std::runtime_error {
 public:
  // `path`: "data.events[0].leaf"; empty for the whole text, which is called "it".
  JsonRefused(const std::string& path, const std::string& reason)
      : runtime_error((path.empty() ? "it" : path) + " " + reason), reason_(reason) {}
  const std::string& reason() const { return reason_; }  // "must be a text"

 private:
  std::string reason_;
};

// A parsed text (RFC 8259).
class JsonDocument {
 public:
  // Throws JsonRefused when it is not JSON.
  explicit JsonDocument(std::string_view text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  simdjson::dom::element root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

// What a value of such a type must be.
template <class Value>
inline constexpr std::string_view kJsonRule = Value::kRule;
template <>
inline constexpr std::string_view kJsonRule<std::string_view> = "must be a text";
template <>
inline constexpr std::string_view kJsonRule<std::string> = "must be a text";
template <>
inline constexpr std::string_view kJsonRule<Timestamp> = "must be a time";
template <>
inline constexpr std::string_view kJsonRule<bool> = "must be true or false";
template <>
inline constexpr std::string_view kJsonRule<std::int64_t> = "must be an integer";
template <>
inline constexpr std::string_view kJsonRule<simdjson::dom::array> = "must be a list";

// A value of one of simdjson's types, or what its text stands for: a text, a time, or a type with
// parse() and kRule. nullopt for any other value.
template <class Value>
std::optional<Value> json_value(simdjson::dom::element element) {
  constexpr bool has_rule = requires { Value::kRule; };
  if constexpr (has_rule || std::same_as<Value, std::string> || std::same_as<Value, Timestamp>) {
    const auto text = json_value<std::string_view>(element);
    if (!text) return std::nullopt;
    if constexpr (has_rule)
      return Value::parse(*text);
    else if constexpr (std::same_as<Value, Timestamp>)
      return parse_iso8601(*text);
    else
      return std::string(*text);
  } else {
    Value value{};
    return element.get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
  }
}

// One object. Lives as long as its document. All functions throw JsonRefused for a name that occurs twice,
// and for a value that is not what `rule` says; null counts as absent.
class JsonFields {
 public:
  static constexpr std::string_view kRule = "must be an object";

  // `path` is the object's. Throws JsonRefused when the element is no object.
  explicit JsonFields(simdjson::dom::element element, const std::string& path = {});

  // As it is, null included; nullopt when absent.
  std::optional<simdjson::dom::element> member(std::string_view name) const;

  // Of a type that json_value() knows, or JsonFields for an object.
  template <class Value>
  std::optional<Value> find(std::string_view name, std::string_view rule = kJsonRule<Value>) const {
    const auto found = member(name);
    if (!found || found->is_null()) return std::nullopt;
    if constexpr (std::same_as<Value, JsonFields>) {
      return JsonFields(*found, path_of(name));
    } else {
      auto value = json_value<Value>(*found);
      if (!value) refuse(name, rule);
      return value;
    }
  }
  // Throws JsonRefused when absent, too.
  template <class Value>
  Value get(std::string_view name, std::string_view rule = kJsonRule<Value>) const {
    return required(find<Value>(name, rule), name);
  }

  // What is written as an integer: 10.0 and 1e3 are not.
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max) const;
  std::optional<std::vector<std::string_view>> texts(std::string_view name, std::string_view rule) const;
  std::optional<std::vector<JsonFields>> objects(std::string_view name) const;

  template <class Value>
  Value required(std::optional<Value> value, std::string_view name) const {
    if (!value) refuse(name, "is missing");
    return *std::move(value);
  }
  [[noreturn]] void refuse(std::string_view name, std::string_view reason) const;

  const simdjson::dom::object& object() const { return object_; }
  const std::string& prefix() const { return prefix_; }
  std::string path_of(std::string_view name) const { return prefix_ + std::string(name); }

 private:
  simdjson::dom::object object_;
  std::string prefix_;  // of the paths of its fields: "payment.", empty in the whole text
};

}  // namespace pixledger
