#include "base/http/message/prefer.h"

#include "base/http/message/header_items.h"
#include "base/text/ascii.h"

namespace pixledger::http {
namespace {

std::string_view without_quotes(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

bool prefers_lenient(const Headers& headers) {
  if (!headers.find("Prefer")) return false;
  const std::string preferences = headers.joined("Prefer");
  std::string_view rest = preferences;
  while (!rest.empty()) {
    std::string_view preference = next_item(rest, ',');
    std::string_view value = next_item(preference, ';');
    const std::string_view name = next_item(value, '=');
    if (equal_without_case(name, "handling"))
      return equal_without_case(without_quotes(without_blanks(value)), "lenient");
  }
  return false;
}

}  // namespace pixledger::http
