#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <string>
#include <string_view>

namespace pixledger::eventstore {

// Writes one JSON text. Texts must be valid UTF-8. Not for several threads.
class Json {
 public:
  Json& begin_object();
  Json& end_object();
  Json& begin_array();
  Json& end_array();
  Json& key(std::string_view name);

  Json& null();
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(const std::string& text) { return value(std::string_view(text)); }
  Json& value(std::same_as<bool> auto truth) { return boolean(truth); }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json& value(Integer number) {
    if constexpr (std::unsigned_integral<Integer>)
      return unsigned_integer(number);
    else
      return integer(number);
  }
  // null when there is none.
  template <class Value>
  Json& value(const std::optional<Value>& optional) {
    return optional ? value(*optional) : null();
  }

  template <class Value>
  Json& field(std::string_view name, const Value& field_value) {
    return key(name).value(field_value);
  }

  // The text so far; then ready for the next one.
  std::string take();
  // With a line feed.
  std::string take_line() { return take() + '\n'; }

 private:
  Json& boolean(bool truth);
  Json& integer(std::int64_t number);
  Json& unsigned_integer(std::uint64_t number);

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace pixledger::eventstore
