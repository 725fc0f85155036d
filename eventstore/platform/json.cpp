#include "eventstore/platform/json.h"

#include <cassert>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <utility>

namespace pixledger::eventstore {

struct Json::Buffer {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer{text};
};

namespace {

constexpr std::size_t kKeptBytesMax = 256 * 1024;

rapidjson::SizeType length(std::string_view text) {
  assert(text.size() <= UINT32_MAX);
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

std::unique_ptr<Json::Buffer>& Json::spare() {
  thread_local std::unique_ptr<Buffer> of_this_thread;
  return of_this_thread;
}

Json::Json() : buffer_(std::move(spare())) {
  if (!buffer_) buffer_ = std::make_unique<Buffer>();
}

Json::~Json() {
  if (buffer_->text.GetSize() > kKeptBytesMax) return;
  buffer_->text.Clear();
  buffer_->writer.Reset(buffer_->text);
  spare() = std::move(buffer_);
}

Json& Json::begin_object() {
  buffer_->writer.StartObject();
  return *this;
}

Json& Json::end_object() {
  buffer_->writer.EndObject();
  return *this;
}

Json& Json::begin_array() {
  buffer_->writer.StartArray();
  return *this;
}

Json& Json::end_array() {
  buffer_->writer.EndArray();
  return *this;
}

Json& Json::key(std::string_view name) {
  buffer_->writer.Key(name.data(), length(name));
  return *this;
}

Json& Json::null() {
  buffer_->writer.Null();
  return *this;
}

Json& Json::value(std::string_view text) {
  // RapidJSON asserts that the pointer of an empty text is not null.
  buffer_->writer.String(text.empty() ? "" : text.data(), length(text));
  return *this;
}

Json& Json::boolean(bool truth) {
  buffer_->writer.Bool(truth);
  return *this;
}

Json& Json::integer(std::int64_t number) {
  buffer_->writer.Int64(number);
  return *this;
}

Json& Json::unsigned_integer(std::uint64_t number) {
  buffer_->writer.Uint64(number);
  return *this;
}

Json& Json::reais(domain::Cents amount) {
  const std::string decimal = domain::to_decimal(amount);
  buffer_->writer.RawValue(decimal.data(), decimal.size(), rapidjson::kNumberType);
  return *this;
}

Json& Json::value(domain::Timestamp time) {
  char text[domain::kIso8601Size];
  domain::write_iso8601(time, text);
  return value(std::string_view(text, sizeof text));
}

Json& Json::value(const domain::Metadata& metadata) {
  begin_object();
  for (const auto& [key, text] : metadata.entries()) field(key.text(), text);
  return end_object();
}

std::string Json::take() {
  assert(buffer_->writer.IsComplete());
  std::string text(buffer_->text.GetString(), buffer_->text.GetSize());
  if (text.size() > kKeptBytesMax) {
    buffer_ = std::make_unique<Buffer>();
  } else {
    buffer_->text.Clear();
    buffer_->writer.Reset(buffer_->text);
  }
  return text;
}

}  // namespace pixledger::eventstore
