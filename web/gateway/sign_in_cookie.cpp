#include "web/gateway/sign_in_cookie.h"

#include <algorithm>

#include "domain/text/ascii.h"
#include "http/message/header_items.h"

namespace pixledger::web {

bool is_sign_in_token(std::string_view text) {
  constexpr std::string_view kPrefix = "us_";
  constexpr std::size_t kBytes = 46;
  if (text.size() != kBytes || !text.starts_with(kPrefix)) return false;
  text.remove_prefix(kPrefix.size());
  return std::all_of(text.begin(), text.end(), [](char c) { return domain::is_ascii_alnum(c); });
}

std::optional<std::string> SignInCookie::token_in(const http::Headers& headers) const {
  if (headers.count("Cookie") != 1) return std::nullopt;
  std::string_view rest = *headers.find("Cookie");
  std::optional<std::string> found;
  while (!rest.empty()) {
    const auto item = http::next_item(rest, ';');
    const auto equals = item.find('=');
    if (equals == std::string_view::npos || item.substr(0, equals) != name()) continue;
    if (found) return std::nullopt;
    found = item.substr(equals + 1);
  }
  return found && is_sign_in_token(*found) ? found : std::nullopt;
}

std::string SignInCookie::text(std::string_view token, std::string_view more) const {
  std::string cookie(name());
  cookie.append("=").append(token).append("; Path=/; HttpOnly; SameSite=Strict").append(more);
  if (is_tls_) cookie.append("; Secure");
  return cookie;
}

std::string SignInCookie::with(std::string_view token) const { return text(token, ""); }

std::string SignInCookie::cleared() const { return text("", "; Max-Age=0"); }

}  // namespace pixledger::web
