#pragma once

#include <optional>
#include <string>
#include <string_view>

// What people type or paste.
namespace pixledger {

// Without the blanks and hidden characters around it, of any writing system, that come along with what is
// copied.
std::string_view without_outer_blanks(std::string_view text);
std::string_view without_leading_blanks(std::string_view text);

// The letters and digits of a number or code, in capitals: without punctuation, dashes, blanks and hidden
// characters of any kind; full-width ones count as what they stand for. nullopt where there is something
// else, or nothing.
std::optional<std::string> bare_code(std::string_view typed);

}  // namespace pixledger
