#include "web/gateway/sign_in_cookie.h"

#include <algorithm>

#include "base/http/message/header_items.h"
#include "base/text/ascii.h"

namespace pixledger::web {

bool is_sign_in_token(std::string_view text) {
  constexpr std::string_view kPrefix = "us_";
  constexpr std::size_t kBytes = 46;
  if (text.size() != kBytes || !text.starts_with(kPrefix)) return false;
  text.remove_prefix(kPrefix.size());
  return std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_alnum(c); });
}

namespace {

// nullopt where there is none, or several.
std::optional<std::string_view> cookie_in(const http::Headers& headers, std::string_view name) {
  if (headers.count("Cookie") != 1) return std::nullopt;
  std::string_view rest = *headers.find("Cookie");
  std::optional<std::string_view> found;
  while (!rest.empty()) {
    const auto item = http::next_item(rest, ';');
    const auto equals = item.find('=');
    if (equals == std::string_view::npos || item.substr(0, equals) != name) continue;
    if (found) return std::nullopt;
    found = item.substr(equals + 1);
  }
  return found;
}

// Dots between characters of base64url.
bool is_device(std::string_view marks) {
  constexpr std::size_t kMost = 1024;
  return marks.size() <= kMost && std::all_of(marks.begin(), marks.end(), [](char c) {
           return is_ascii_alnum(c) || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace

std::optional<std::string> SignInCookie::token_in(const http::Headers& headers) const {
  const auto found = cookie_in(headers, name());
  return found && is_sign_in_token(*found) ? std::optional(std::string(*found)) : std::nullopt;
}

std::string SignInCookie::device_in(const http::Headers& headers) const {
  const auto found = cookie_in(headers, device_name()).value_or("");
  return is_device(found) ? std::string(found) : std::string();
}

std::string SignInCookie::text(std::string_view name, std::string_view value, std::string_view more) const {
  std::string cookie(name);
  cookie.append("=").append(value).append("; Path=/; HttpOnly; SameSite=Strict").append(more);
  if (is_tls_) cookie.append("; Secure");
  return cookie;
}

std::string SignInCookie::with(std::string_view token) const { return text(name(), token, ""); }

std::string SignInCookie::cleared() const { return text(name(), "", "; Max-Age=0"); }

std::string SignInCookie::with_device(std::string_view marks) const {
  constexpr std::string_view kDays400 = "; Max-Age=34560000";
  return text(device_name(), marks, kDays400);
}

}  // namespace pixledger::web
