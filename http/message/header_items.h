#pragma once

#include <cstddef>
#include <string_view>

namespace pixledger::http {

// Without the blanks and tabs around it (OWS, RFC 9110 §5.6.3).
constexpr std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes the text up to the next `separator` off the front of `rest`, without the blanks around it.
constexpr std::string_view next_item(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view item = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return without_blanks(item);
}

}  // namespace pixledger::http
