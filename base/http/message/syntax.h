#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/ascii.h"

namespace pixledger::http {

// Token characters (RFC 9110 §5.6.2): methods, header names and parameter names.
constexpr bool is_token_character(char c) {
  return is_ascii_alnum(c) ||
         (c != 0 && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

inline constexpr std::array<bool, 256> kTokenCharacters = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = is_token_character(static_cast<char>(c));
  return table;
}();

inline bool is_token(std::string_view text) {
  const auto allowed = [](char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

// Strips surrounding blanks and tabs (OWS, RFC 9110 §5.6.3).
constexpr std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Removes the text up to the next `separator` from `rest` and returns it without surrounding blanks.
constexpr std::string_view next_item(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view item = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return without_blanks(item);
}

// The weight in an item's parameters, in thousandths; 0 for q=0, not acceptable (RFC 9110 §12.4.2). An
// invalid or missing weight counts as 1000.
constexpr int weight_of(std::string_view parameters) {
  constexpr int kWhole = 1000;
  while (!parameters.empty()) {
    const std::string_view parameter = next_item(parameters, ';');
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    if (parameter.size() < 3 || parameter[2] != '0') return kWhole;
    if (parameter.size() > 3 && parameter[3] != '.') return kWhole;
    int weight = 0;
    int place = kWhole / 10;
    for (const char c : parameter.substr(std::min<std::size_t>(parameter.size(), 4))) {
      if (c < '0' || c > '9') return kWhole;
      weight += (c - '0') * place;
      place /= 10;
    }
    return weight;
  }
  return kWhole;
}

// The meaning of '+': itself in a path, a blank in a query.
enum class Plus { kIsPlus, kIsBlank };

// Percent-decodes one path segment or query value (RFC 3986 §2.1). nullopt if an escape is invalid or the
// bytes are not UTF-8.
std::optional<std::string> percent_decode(std::string_view text, Plus plus);

}  // namespace pixledger::http
