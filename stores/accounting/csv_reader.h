#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::stores {

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

 private:
  std::string read_cell();
  std::string read_quoted();

  std::string_view text_;
  const char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 0;
  std::string_view record_;
};

}  // namespace pixledger::stores
