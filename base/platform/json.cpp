#include "base/platform/json.h"

#include <cassert>
#include <cstring>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <utility>

#include "base/text/ascii.h"

namespace pixledger {
namespace {

constexpr std::size_t kKeptBytesMax = 256 * 1024;

// RFC 8259, section 7: quotation mark, reverse solidus and the control characters.
bool needs_escapes(std::string_view text) {
  return any_word(text, ' ', [](std::uint64_t word) {
    return has_byte_below(word, 0x20) || has_byte(word, '"') || has_byte(word, '\\');
  });
}

// RapidJSON's, but texts without escapes, which nearly all are, are copied as a whole instead of byte by
// byte.
class Writer : public rapidjson::Writer<rapidjson::StringBuffer> {
 public:
  using rapidjson::Writer<rapidjson::StringBuffer>::Writer;

  // A key, or a text.
  void text(std::string_view text) {
    if (text.empty() || needs_escapes(text)) {
      assert(text.size() <= UINT32_MAX);
      // RapidJSON asserts that the pointer of an empty text is not null.
      String(text.empty() ? "" : text.data(), static_cast<rapidjson::SizeType>(text.size()));
      return;
    }
    plain(text);
  }

  // A text without characters that need escapes.
  void plain(std::string_view text) {
    Prefix(rapidjson::kStringType);
    char* const quoted = os_->Push(text.size() + 2);
    quoted[0] = '"';
    std::memcpy(quoted + 1, text.data(), text.size());
    quoted[text.size() + 1] = '"';
  }
};

}  // namespace

struct Json::Buffer {
  rapidjson::StringBuffer text;
  Writer writer{text};
};

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

Json& Json::key(JsonKey name) {
  buffer_->writer.plain(name.text());
  return *this;
}

Json& Json::escaped_key(std::string_view name) {
  buffer_->writer.text(name);
  return *this;
}

Json& Json::null() {
  buffer_->writer.Null();
  return *this;
}

Json& Json::value(std::string_view text) {
  buffer_->writer.text(text);
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

Json& Json::decimal(std::string_view number) {
  buffer_->writer.RawValue(number.data(), number.size(), rapidjson::kNumberType);
  return *this;
}

Json& Json::share(std::uint64_t part, std::uint64_t whole) {
  assert(whole != 0);
  constexpr std::uint64_t kOne = 10'000;
  // Rounded down, so that only all of it is 1.
  const auto share = part / whole * kOne + part % whole * kOne / whole;
  char text[32];
  const int size =
      std::snprintf(text, sizeof text, "%llu.%04llu", static_cast<unsigned long long>(share / kOne),
                    static_cast<unsigned long long>(share % kOne));
  buffer_->writer.RawValue(text, static_cast<std::size_t>(size), rapidjson::kNumberType);
  return *this;
}

Json& Json::value(Timestamp time) {
  char text[kIso8601Size];
  write_iso8601(time, text);
  return value(std::string_view(text, sizeof text));
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

}  // namespace pixledger
