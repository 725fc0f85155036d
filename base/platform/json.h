#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/values/timestamp.h"

namespace pixledger {

// Types that are written as their text: ids, names, addresses.
template <class Value>
concept HasText = requires(const Value& value) {
  { value.text() } -> std::convertible_to<std::string_view>;
};

class Json;

// A type with its own writer: `write_json(json, value)`, declared beside it.
template <class Value>
concept WritesJson = requires(Json& json, const Value& value) {
  write_json(json, value);
};

// A literal key. The compiler checks that it needs no escapes, so writing it looks for none.
class JsonKey {
 public:
  template <std::size_t Size>
  consteval JsonKey(const char (&literal)[Size]) : text_(literal, Size - 1) {
    for (const char c : text_)
      if (c < ' ' || c == '"' || c == '\\') throw "a character that JSON escapes";
  }

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// A key that is known only at run time.
template <class Text>
concept KeyText = std::convertible_to<const Text&, std::string_view> && !std::is_array_v<Text>;

// Writes one JSON text, into a buffer that its thread keeps for the next one unless it has grown large. Texts
// must be valid UTF-8. Not for several threads.
class Json {
 public:
  Json();
  ~Json();
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  Json& begin_object();
  Json& end_object();
  Json& begin_array();
  Json& end_array();
  Json& key(JsonKey name);
  Json& key(const KeyText auto& name) { return escaped_key(name); }

  Json& null();
  Json& null(JsonKey name) { return key(name).null(); }
  Json& null(const KeyText auto& name) { return key(name).null(); }
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(const std::string& text) { return value(std::string_view(text)); }
  Json& value(const HasText auto& written) { return value(std::string_view(written.text())); }
  template <class Enum>
  requires std::is_enum_v<Enum> Json& value(Enum named) { return value(to_string(named)); }
  Json& value(std::same_as<bool> auto truth) { return boolean(truth); }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json& value(Integer number) {
    if constexpr (std::unsigned_integral<Integer>)
      return unsigned_integer(number);
    else
      return integer(number);
  }
  template <WritesJson Value>
  Json& value(const Value& written) {
    write_json(*this, written);
    return *this;
  }
  // A number in its final form, such as 12.50.
  Json& decimal(std::string_view number);
  // `part` / `whole`, which is not 0, with four decimals.
  Json& share(std::uint64_t part, std::uint64_t whole);
  // ISO 8601, in UTC with milliseconds.
  Json& value(Timestamp time);
  // Writes null for nullopt.
  template <class Value>
  Json& value(const std::optional<Value>& optional) {
    return optional ? value(*optional) : null();
  }

  template <class Value>
  Json& field(JsonKey name, const Value& field_value) {
    return key(name).value(field_value);
  }
  template <class Value>
  Json& field(const KeyText auto& name, const Value& field_value) {
    return key(name).value(field_value);
  }

  // The text so far, which must be complete; then ready for the next one.
  std::string take();
  // With a line feed.
  std::string take_line() { return take() + '\n'; }

 private:
  struct Buffer;

  Json& escaped_key(std::string_view name);
  Json& boolean(bool truth);
  Json& integer(std::int64_t number);
  Json& unsigned_integer(std::uint64_t number);

  // Of this thread, between two texts.
  static std::unique_ptr<Buffer>& spare();

  std::unique_ptr<Buffer> buffer_;
};

}  // namespace pixledger
