#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::stores {

// The bytes of files that banks and spreadsheets write, as text.

// In UTF-8 without a byte order mark, from UTF-8, UTF-16 with or without such a mark, or else Windows-1252 or
// code page 850, by which of both makes more letters of Portuguese.
std::string text_of_file(std::string_view bytes);

// In UTF-8.
void append_character(std::string& text, std::uint32_t code);

// A part of a statement for a message: on one line, shortened, controls and what no reader sees escaped.
std::string shown(std::string_view text);

// Without blanks around it, those of Unicode that spreadsheets write (U+00A0) included.
std::string_view trimmed(std::string_view text);

// In small ASCII letters and digits, without accents, with single blanks between words: "Data/Hora" becomes
// "data hora".
std::string words_of(std::string_view text);
// Whether such words have this one, or these in a row.
bool has_words(std::string_view words, std::string_view wanted);

// Reads CSV (RFC 4180, and lines that end with a bare line feed), one record at a time, with the separator
// that it is given. A quote within a cell that does not begin with one is a character like others.
class CsvReader {
 public:
  CsvReader(std::string_view text, char separator) : text_(text), separator_(separator) {}

  // nullopt at the end. Throws StatementRefused where a quote is not closed.
  std::optional<std::vector<std::string>> next();
  // Of the last record: where it began, 1, 2, 3…, and its text.
  std::size_t line() const { return record_line_; }
  std::string_view record() const { return record_; }
  bool has_line_end() const { return has_line_end_; }

 private:
  std::string read_cell();
  std::string read_quoted();

  std::string_view text_;
  const char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 0;
  std::string_view record_;
  bool has_line_end_ = true;
};

}  // namespace pixledger::stores
