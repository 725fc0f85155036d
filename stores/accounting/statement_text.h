#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::stores {

// Converts the bytes of banks' and spreadsheets' files to text.

// Returns UTF-8 without a byte order mark, from UTF-8, UTF-16 with or without a mark, or else Windows-1252 or
// code page 850, whichever gives more Portuguese letters.
std::string text_of_file(std::string_view bytes);

// In UTF-8.
void append_character(std::string& text, std::uint32_t code);

// Makes a part of a statement fit for a message: one line, shortened, with control and invisible characters
// escaped.
std::string shown(std::string_view text);

// Trims blanks, including those of Unicode that spreadsheets write (U+00A0).
std::string_view trimmed(std::string_view text);

// Returns lower-case ASCII letters and digits, without accents, with single blanks between words: "Data/Hora"
// becomes "data hora".
std::string words_of(std::string_view text);
// Returns whether such words contain this word, or these in a row.
bool has_words(std::string_view words, std::string_view wanted);

// Reads CSV (RFC 4180, also lines that end with a bare line feed) record by record, with the given separator.
// A quote within a cell that does not begin with one is an ordinary character.
class CsvReader {
 public:
  CsvReader(std::string_view text, char separator) : text_(text), separator_(separator) {}

  // Returns nullopt at the end. Throws StatementRefused if a quote is not closed.
  std::optional<std::vector<std::string>> next();
  // The last record: its first line, from 1, and its text.
  std::size_t line() const { return record_line_; }
  std::string_view record() const { return record_; }
  bool has_line_end() const { return has_line_end_; }
  // Returns whether only empty lines follow it. Reads the text up to the next other one.
  bool is_last() const {
    return text_.find_first_not_of(std::string(" \t\r\n") + separator_, at_) == std::string_view::npos;
  }

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
