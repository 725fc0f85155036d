#include "base/http/transport/reply_bytes.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "base/http/message/reply.h"
#include "base/net/http_status.h"
#include "base/values/civil_date.h"

namespace pixledger::http {
namespace {

void append_number(std::string& bytes, std::size_t number) {
  char digits[20];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  bytes.append(std::begin(digits), end);
}

void append_header(std::string& bytes, std::string_view name, std::string_view value) {
  bytes.append(name).append(": ").append(value).append("\r\n");
}

bool is_header_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

// RFC 9110 §15.3.5, §15.4.5.
bool may_have_content(int status) { return status != kNoContent && status != kNotModified; }

bool says_cache_control(const Reply& reply) {
  return std::any_of(reply.headers.begin(), reply.headers.end(),
                     [](const ReplyHeader& header) { return header.name == "Cache-Control"; });
}

std::string imf_date(std::int64_t unix_time_s) {
  const std::chrono::sys_seconds time{std::chrono::seconds(unix_time_s)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  const int length =
      std::snprintf(text, sizeof text, "%s, %02u %s %04d %02d:%02d:%02d GMT",
                    kShortWeekdays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                    kShortMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                    static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                    static_cast<int>(clock.seconds().count()));
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace

std::string_view DateText::at(std::int64_t unix_time_s) {
  if (unix_time_s != unix_time_s_) {
    text_ = imf_date(unix_time_s);
    unix_time_s_ = unix_time_s;
  }
  return text_;
}

std::string_view body_of(const Reply& reply) {
  if (!may_have_content(reply.status)) return {};
  return reply.static_body.empty() ? std::string_view(reply.body) : reply.static_body;
}

void append_reply_head(const Reply& reply, const ReplyFraming& framing, std::string& bytes) {
  bytes.append("HTTP/1.1 ");
  append_number(bytes, static_cast<std::size_t>(reply.status));
  bytes.append(" ").append(status_text(reply.status)).append("\r\n");
  if (may_have_content(reply.status)) {
    append_header(bytes, "Content-Type", reply.content_type);
    if (framing.body == BodyFraming::kChunks) bytes.append("Transfer-Encoding: chunked\r\n");
    if (framing.body == BodyFraming::kLength) {
      bytes.append("Content-Length: ");
      append_number(bytes, body_of(reply).size());
      bytes.append("\r\n");
    }
  }
  append_header(bytes, "X-Request-Id", framing.request_id);
  if (!says_cache_control(reply)) bytes.append("Cache-Control: no-store\r\n");
  bytes.append("X-Content-Type-Options: nosniff\r\n");
  append_header(bytes, "Date", framing.date);
  if (!framing.keep_alive) bytes.append("Connection: close\r\n");
  if (framing.keep_alive) {
    bytes.append("Connection: keep-alive\r\nKeep-Alive: timeout=");
    append_number(bytes, static_cast<std::size_t>(framing.idle_timeout_s));
    bytes.append("\r\n");
  }
  const auto append_headers = [&bytes](std::span<const ReplyHeader> headers) {
    for (const ReplyHeader& header : headers) {
      // Omits values that could be parsed as another header; they come from the caller.
      if (is_header_value(header.value)) append_header(bytes, header.name, header.value);
    }
  };
  append_headers(framing.more_headers);
  append_headers(reply.headers);
  bytes.append("\r\n");
}

// The size always has eight digits, so it can be filled in last.
void begin_chunk(std::string& bytes) { bytes.append(kChunkHeadBytes, '0'); }

void end_chunk(std::string& bytes, std::size_t begin) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::size_t size = bytes.size() - begin - kChunkHeadBytes;
  for (std::size_t i = kChunkHeadBytes - 2; i-- > 0; size /= 16) bytes[begin + i] = kDigits[size % 16];
  bytes.replace(begin + kChunkHeadBytes - 2, 2, "\r\n");
  bytes.append("\r\n");
}

}  // namespace pixledger::http
