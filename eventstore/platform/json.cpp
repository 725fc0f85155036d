#include "eventstore/platform/json.h"

#include <cassert>

namespace pixledger::eventstore {
namespace {

rapidjson::SizeType length(std::string_view text) {
  assert(text.size() <= UINT32_MAX);
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

Json& Json::begin_object() {
  writer_.StartObject();
  return *this;
}

Json& Json::end_object() {
  writer_.EndObject();
  return *this;
}

Json& Json::begin_array() {
  writer_.StartArray();
  return *this;
}

Json& Json::end_array() {
  writer_.EndArray();
  return *this;
}

Json& Json::key(std::string_view name) {
  writer_.Key(name.data(), length(name));
  return *this;
}

Json& Json::null() {
  writer_.Null();
  return *this;
}

Json& Json::value(std::string_view text) {
  // RapidJSON asserts that the pointer of an empty text is not null.
  writer_.String(text.empty() ? "" : text.data(), length(text));
  return *this;
}

Json& Json::boolean(bool truth) {
  writer_.Bool(truth);
  return *this;
}

Json& Json::integer(std::int64_t number) {
  writer_.Int64(number);
  return *this;
}

Json& Json::unsigned_integer(std::uint64_t number) {
  writer_.Uint64(number);
  return *this;
}

std::string Json::take() {
  assert(writer_.IsComplete());
  std::string text(buffer_.GetString(), buffer_.GetSize());
  buffer_.Clear();
  writer_.Reset(buffer_);
  return text;
}

}  // namespace pixledger::eventstore
