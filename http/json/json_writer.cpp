#include "http/json/json_writer.h"

namespace pixledger::http {

struct JsonWriter::Scratch {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  bool taken = false;
};

namespace {

rapidjson::SizeType length(std::string_view text) {
  assert(text.size() <= UINT32_MAX);
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

JsonWriter::Scratch& JsonWriter::scratch() {
  thread_local Scratch of_this_thread;
  return of_this_thread;
}

JsonWriter::JsonWriter() : scratch_(scratch()) {
  assert(!scratch_.taken);
  scratch_.taken = true;
  scratch_.buffer.Clear();
  scratch_.writer.Reset(scratch_.buffer);
}

JsonWriter::~JsonWriter() { scratch_.taken = false; }

JsonWriter& JsonWriter::begin_object() {
  scratch_.writer.StartObject();
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  scratch_.writer.EndObject();
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  scratch_.writer.StartArray();
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  scratch_.writer.EndArray();
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  scratch_.writer.Key(name.data(), length(name));
  return *this;
}

JsonWriter& JsonWriter::null() {
  scratch_.writer.Null();
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  // RapidJSON asserts that the pointer of an empty text is not null.
  scratch_.writer.String(value.empty() ? "" : value.data(), length(value));
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  scratch_.writer.Int64(value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  scratch_.writer.Bool(value);
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  assert(!json.empty());
  scratch_.writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  return *this;
}

JsonWriter& JsonWriter::text_or_null(std::string_view name, const std::optional<std::string>& value) {
  return value ? text(name, *value) : null(name);
}

std::string JsonWriter::str() const {
  assert(scratch_.writer.IsComplete());
  return std::string(scratch_.buffer.GetString(), scratch_.buffer.GetSize());
}

}  // namespace pixledger::http
