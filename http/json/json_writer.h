#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <string>
#include <string_view>

namespace pixledger::http {

// Writes one JSON text into a buffer that its thread keeps for the next one.
// At most one at a time per thread (asserted), and it stays on the thread that made it. Texts must be valid
// UTF-8.
class JsonWriter {
 public:
  JsonWriter();
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& null();
  // One name each, because a literal would rather become a bool than a string_view.
  JsonWriter& text(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& boolean(bool value);
  // JSON that is complete in itself and comes from our own writer.
  JsonWriter& raw(std::string_view json);

  JsonWriter& text(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonWriter& integer(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  JsonWriter& boolean(std::string_view name, bool value) { return key(name).boolean(value); }
  JsonWriter& null(std::string_view name) { return key(name).null(); }
  JsonWriter& raw(std::string_view name, std::string_view json) { return key(name).raw(json); }

  // null when there is no value.
  JsonWriter& text_or_null(std::string_view name, const std::optional<std::string>& value);
  template <class Value>
  JsonWriter& text_or_null(std::string_view name, const std::optional<Value>& value) {
    return value ? text(name, value->text()) : null(name);
  }
  JsonWriter& integer_or_null(std::string_view name, std::optional<std::int64_t> value) {
    return value ? integer(name, *value) : null(name);
  }

  // The whole text; asserts that it is complete.
  std::string str() const;

 private:
  struct Scratch;
  static Scratch& scratch();

  Scratch& scratch_;
};

}  // namespace pixledger::http
