#pragma once

#include <string>
#include <string_view>

// The bytes of files that banks and spreadsheets write, as text.
namespace pixledger::stores {

// In UTF-8 without a byte order mark, from UTF-8, UTF-16 with or without such a mark, or else Windows-1252.
std::string text_of_file(std::string_view bytes);

// A part of a statement for a message: on one line, shortened, controls and what no reader sees escaped.
std::string shown(std::string_view text);

// Without blanks around it, those of Unicode that spreadsheets write (U+00A0) included.
std::string_view trimmed(std::string_view text);

// In small ASCII letters and digits, without accents, with single blanks between words: "Data/Hora" becomes
// "data hora".
std::string words_of(std::string_view text);
// Whether such words have this one, or these in a row.
bool has_words(std::string_view words, std::string_view wanted);

}  // namespace pixledger::stores
