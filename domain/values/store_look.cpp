#include "domain/values/store_look.h"

#include <algorithm>
#include <variant>

#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/values/webhook_url.h"

namespace pixledger::domain {
namespace {

constexpr std::size_t kZoneBytesMax = 64;
constexpr std::string_view kDataScheme = "data:";
constexpr std::string_view kBase64Mark = ";base64,";
constexpr std::string_view kPng = "image/png";
constexpr std::string_view kWebp = "image/webp";

bool is_zone_character(char c) { return is_ascii_alnum(c) || c == '_' || c == '-' || c == '+' || c == '/'; }

bool begins_as(std::string_view type, std::string_view image) {
  using namespace std::string_view_literals;
  if (type == kPng) return image.substr(0, 16) == "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"sv;
  return type == kWebp && image.size() > 16 && image.substr(0, 4) == "RIFF" && image.substr(8, 4) == "WEBP";
}

// Scheme, host and port, in the one form in which browsers send an Origin.
bool is_embed_origin(std::string_view text) {
  const auto parsed = parse_webhook_url(text);
  const auto* url = std::get_if<WebhookUrl>(&parsed);
  if (!url || (!url->https && url->host != "localhost")) return false;
  return text == (url->https ? "https://" : "http://") + url->host_header();
}

}  // namespace

std::optional<TimeZoneName> TimeZoneName::parse(std::string_view text) {
  if (text.empty() || text.size() > kZoneBytesMax || text.front() == '/') return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), is_zone_character)) return std::nullopt;
  return TimeZoneName(std::string(text));
}

std::optional<StoreColor> StoreColor::parse(std::string_view text) {
  const auto is_hex = [](char c) {
    return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  if (text.size() != 7 || text.front() != '#') return std::nullopt;
  if (!std::all_of(text.begin() + 1, text.end(), is_hex)) return std::nullopt;
  return StoreColor(std::string(text));
}

std::optional<StoreLogo> StoreLogo::parse(std::string_view text) {
  if (text.substr(0, kDataScheme.size()) != kDataScheme) return std::nullopt;
  StoreLogo logo{std::string(text)};
  if (logo.type() != kPng && logo.type() != kWebp) return std::nullopt;
  // Before it is decoded, whatever its size.
  if (logo.base64().size() > (kBytesMax + 2) / 3 * 4) return std::nullopt;
  const auto image = bytes_from_base64(logo.base64());
  if (!image || image->size() > kBytesMax || !begins_as(logo.type(), *image)) return std::nullopt;
  return logo;
}

std::string_view StoreLogo::type() const {
  const std::string_view rest = std::string_view(text()).substr(kDataScheme.size());
  const auto mark = rest.find(kBase64Mark);
  return mark == std::string_view::npos ? std::string_view() : rest.substr(0, mark);
}

std::string_view StoreLogo::base64() const {
  const std::string_view whole = text();
  const auto mark = whole.find(kBase64Mark);
  return mark == std::string_view::npos ? std::string_view() : whole.substr(mark + kBase64Mark.size());
}

std::string StoreLogo::image() const { return bytes_from_base64(base64()).value_or(std::string()); }

std::optional<EmbedOrigins> EmbedOrigins::parse(std::string_view text) {
  EmbedOrigins origins{std::string(text)};
  auto list = origins.list();
  if (list.size() > kMax || !std::all_of(list.begin(), list.end(), is_embed_origin)) return std::nullopt;
  std::sort(list.begin(), list.end());
  if (std::adjacent_find(list.begin(), list.end()) != list.end()) return std::nullopt;
  return origins;
}

std::vector<std::string_view> EmbedOrigins::list() const {
  std::vector<std::string_view> origins;
  for (std::string_view rest = text();;) {
    const auto blank = rest.find(' ');
    origins.push_back(rest.substr(0, blank));
    if (blank == std::string_view::npos) return origins;
    rest.remove_prefix(blank + 1);
  }
}

}  // namespace pixledger::domain
