#include "base/process/logging.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <rapidjson/encodedstream.h>
#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <unistd.h>

#include "base/text/enum_names.h"

namespace pixledger {
namespace {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr std::array<std::string_view, 3> kSecretPrefixes{"sk_live_", "sk_test_", "whsec_"};

constexpr EnumNames<LogLevel::kInfo, LogLevel::kError> kLevelNames{"info", "warning", "error"};

std::string_view to_string(LogLevel level) { return kLevelNames.of(level); }

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

void mask_secrets(std::string& text) {
  for (const std::string_view prefix : kSecretPrefixes) {
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
      at += prefix.size();
      std::size_t end = at;
      while (end < text.size() && is_alphanumeric(text[end])) ++end;
      text.replace(at, end - at, "***");
    }
  }
}

bool is_utf8(const std::string& text) {
  rapidjson::MemoryStream input(text.data(), text.size());
  rapidjson::StringBuffer copy;
  while (input.Tell() < text.size()) {
    if (!rapidjson::UTF8<>::Validate(input, copy)) return false;
  }
  return input.Tell() == text.size();
}

std::string presentable(std::string_view raw) {
  std::string text(raw);
  mask_secrets(text);
  if (is_utf8(text)) return text;
  for (char& c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return text;
}

void write_text(JsonWriter& writer, std::string_view raw) {
  const std::string text = presentable(raw);
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

struct ValueWriter {
  JsonWriter& writer;
  void operator()(std::string_view text) const { write_text(writer, text); }
  void operator()(std::int64_t number) const { writer.Int64(number); }
  void operator()(bool truth) const { writer.Bool(truth); }
};

std::string json_line(const std::string& time, LogLevel level, std::string_view message, LogFields fields) {
  rapidjson::StringBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  writer.Key("time");
  write_text(writer, time);
  writer.Key("level");
  write_text(writer, to_string(level));
  writer.Key("message");
  write_text(writer, message);
  for (const LogField& field : fields) {
    writer.Key(field.name.data(), static_cast<rapidjson::SizeType>(field.name.size()));
    std::visit(ValueWriter{writer}, field.value);
  }
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

// The text unchanged, or quoted as in JSON if it is empty or has spaces or control characters.
std::string text_value(const LogField& field) {
  const auto* text = std::get_if<std::string_view>(&field.value);
  const bool plain =
      text != nullptr && !text->empty() && text->find_first_of(" \"\\") == std::string_view::npos && [&] {
        for (const char c : *text) {
          if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
        }
        return true;
      }();
  if (plain) return presentable(*text);
  rapidjson::StringBuffer buffer;
  JsonWriter writer(buffer);
  std::visit(ValueWriter{writer}, field.value);
  return buffer.GetString();
}

// Messages should have no control characters; any that occur must not move a terminal's cursor.
std::string text_line(const std::string& time, LogLevel level, std::string_view message, LogFields fields) {
  std::string line = time + " " + std::string(to_string(level));
  line.resize(time.size() + 9, ' ');
  for (const char c : presentable(message)) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  for (const LogField& field : fields) line += "  " + std::string(field.name) + "=" + text_value(field);
  return line + "\n";
}

// Returns the number of bytes written.
std::size_t write_bytes(int descriptor, std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t result = ::write(descriptor, bytes.data() + written, bytes.size() - written);
    if (result < 0 && errno == EINTR) continue;
    if (result <= 0) break;
    written += static_cast<std::size_t>(result);
  }
  return written;
}

}  // namespace

void Logger::log(LogLevel level, std::string_view message, LogFields fields) {
  const auto line = line_of(level, message, fields);
  const std::lock_guard lock(mutex_);
  if (lost_ > 0 &&
      write(line_of(LogLevel::kWarning, "log lines could not be written and are lost", {{"count", lost_}})))
    lost_ = 0;
  if (!write(line)) ++lost_;
}

bool Logger::write(const std::string& line) {
  const auto text = is_cut_off_ ? "\n" + line : line;
  const auto written = write_bytes(descriptor_, text);
  if (written > 0) is_cut_off_ = text[written - 1] != '\n';
  return written == text.size();
}

std::string Logger::line_of(LogLevel level, std::string_view message, LogFields fields) const {
  const std::string time = to_iso8601(clock_.now());
  return format_ == LogFormat::kJson ? json_line(time, level, message, fields)
                                     : text_line(time, level, message, fields);
}

}  // namespace pixledger
