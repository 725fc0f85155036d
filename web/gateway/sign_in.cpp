#include "web/gateway/sign_in.h"

#include <algorithm>
#include <simdjson.h>

#include "base/http/message/syntax.h"
#include "base/platform/json.h"
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

// Returns nullopt if the cookie is missing or occurs several times.
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

namespace {

constexpr std::string_view kToken = "token";
using simdjson::dom::object;

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(text.ends_with('{') ? "" : ",").append("\"").append(name).append("\":").append(value);
}

// Names of the API's fields need no escapes.
bool is_plain_name(std::string_view name) { return name.find_first_of("\"\\") == std::string_view::npos; }

// Returns `data` without its token, which is put into `answer`.
std::optional<std::string> data_of(const object& data, SignInAnswer& answer) {
  std::string text = "{";
  for (const auto& [name, value] : data) {
    std::string_view token;
    if (!is_plain_name(name)) return std::nullopt;
    if (name != kToken) {
      append_field(text, name, simdjson::minify(value));
    } else if (value.get(token) != simdjson::SUCCESS || !is_sign_in_token(token) || answer.token) {
      return std::nullopt;
    } else {
      answer.token = token;
    }
  }
  return text + "}";
}

}  // namespace

std::optional<SignInAnswer> take_token(std::string_view answer) {
  simdjson::dom::parser parser;
  object root;
  if (parser.parse(simdjson::padded_string(answer)).get(root) != simdjson::SUCCESS) return std::nullopt;
  SignInAnswer taken{.body = "{", .token = {}};
  for (const auto& [name, value] : root) {
    object data;
    if (!is_plain_name(name)) return std::nullopt;
    if (name != "data" || value.get(data) != simdjson::SUCCESS) {
      append_field(taken.body, name, simdjson::minify(value));
      continue;
    }
    const auto text = data_of(data, taken);
    if (!text) return std::nullopt;
    append_field(taken.body, name, *text);
  }
  taken.body += "}";
  if (taken.token && taken.body.find(*taken.token) != std::string::npos) return std::nullopt;
  return taken;
}

}  // namespace pixledger::web
