#pragma once

#include <optional>
#include <string_view>

#include "domain/values/timestamp.h"
#include "http/json/json_writer.h"

namespace pixledger::http {

inline void write_time(JsonWriter& json, std::string_view name, domain::Timestamp value) {
  char text[domain::kIso8601Size];
  domain::write_iso8601(value, text);
  json.text(name, {text, sizeof text});
}

inline void write_time_or_null(JsonWriter& json, std::string_view name,
                               const std::optional<domain::Timestamp>& value) {
  if (value) {
    write_time(json, name, *value);
  } else {
    json.null(name);
  }
}

}  // namespace pixledger::http
