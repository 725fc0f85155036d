#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Characters that a reader does not see, and that change what a reader sees: bidirectional controls,
// characters without width, tags, fillers, line and paragraph separators (Unicode:
// Default_Ignorable_Code_Point, and some beside it). A name that holds one looks like another name.
namespace pixledger {

// By itself, whatever stands beside it.
bool is_hidden_character(std::int32_t code_point);

// Whether valid UTF-8 holds a hidden character that its writing system does not need there. Some need a few:
// a zero-width joiner within an emoji or beside a virama, a zero-width non-joiner within a word in Arabic
// script or beside a virama, a variation selector behind an emoji, a CJK ideograph or a Mongolian letter.
bool holds_hidden_characters(std::string_view text);

// The text as people are to see it: hidden characters that holds_hidden_characters() finds are spelt as
// escapes, as in "Maria\u202e". Works on any bytes.
std::string with_hidden_escaped(std::string_view text);

}  // namespace pixledger
