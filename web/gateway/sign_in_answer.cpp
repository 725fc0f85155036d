#include "web/gateway/sign_in_answer.h"

#include <simdjson.h>

#include "base/platform/json.h"
#include "web/gateway/sign_in_cookie.h"

namespace pixledger::web {
namespace {

constexpr std::string_view kToken = "token";
using simdjson::dom::element;
using simdjson::dom::object;

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(text.ends_with('{') ? "" : ",").append("\"").append(name).append("\":").append(value);
}

// Names of the API's fields need no escapes.
bool is_plain_name(std::string_view name) { return name.find_first_of("\"\\") == std::string_view::npos; }

// `data` without its token, which is put into `answer`.
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
