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

// Whether an item's parameters say that it is not wanted: q=0 (RFC 9110 §12.4.2).
constexpr bool has_zero_weight(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = next_item(parameters, ';');
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    return parameter.size() > 2 && parameter.find_first_not_of("0.", 2) == std::string_view::npos;
  }
  return false;
}

}  // namespace pixledger::http
