#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text/ascii.h"

namespace pixledger::http {

// Characters of a token (RFC 9110 §5.6.2): methods, the names of headers and of parameters.
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

}  // namespace pixledger::http
