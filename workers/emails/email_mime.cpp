#include "workers/emails/email_mime.h"

#include <Poco/Base64Encoder.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "base/text/ascii.h"
#include "workers/emails/email_time.h"

namespace pixledger::workers {
namespace {

constexpr int kBase64LineMax = 76;
// Lines with encoded words have at most 76 characters (RFC 2047 §2). The header's name takes some of the
// first,
// "=?UTF-8?B?" and "?=" twelve, which leaves 48 for base64.
constexpr std::size_t kWordBytesMax = 36;
// What stays unencoded must fit in a header line (RFC 5322 §2.1.1) with the header's name.
constexpr std::size_t kPlainMax = 60;

std::string encode(std::string_view bytes, int line_length) {
  std::ostringstream out;
  Poco::Base64Encoder encoder(out);
  encoder.rdbuf()->setLineLength(line_length);
  encoder.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  encoder.close();
  return out.str();
}

bool is_plain(std::string_view text) {
  return text.size() <= kPlainMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_alnum(c) || c == ' '; });
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The longest beginning of whole characters that fits in an encoded word.
std::size_t word_size(std::string_view text) {
  if (text.size() <= kWordBytesMax) return text.size();
  std::size_t size = kWordBytesMax;
  while (size > 1 && continues_character(text[size])) --size;
  return size;
}

}  // namespace

std::string encode_base64(std::string_view bytes) { return encode(bytes, 0); }

std::string encode_base64_lines(std::string_view bytes) {
  std::string encoded = encode(bytes, kBase64LineMax);
  if (encoded.size() < kCrLf.size() || encoded.substr(encoded.size() - kCrLf.size()) != kCrLf)
    encoded += kCrLf;
  return encoded;
}

std::string encode_header_text(std::string_view utf8) {
  if (is_plain(utf8)) return std::string(utf8);
  std::string encoded;
  while (!utf8.empty()) {
    const std::size_t size = word_size(utf8);
    if (!encoded.empty()) encoded += "\r\n ";
    encoded += "=?UTF-8?B?" + encode_base64(utf8.substr(0, size)) + "?=";
    utf8.remove_prefix(size);
  }
  return encoded;
}

std::string mail_date(Timestamp moment) {
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto local = brasilia_time(moment);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02u:%02u:%02u -0300", kDays[local.weekday],
                local.date.day, kMonths[local.date.month - 1], local.date.year, local.hour, local.minute,
                local.second);
  return text.data();
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace pixledger::workers
