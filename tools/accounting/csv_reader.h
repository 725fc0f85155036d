#pragma once

#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pixledger::tools {

// The bytes are no CSV; the text says in which line.
class CsvError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads CSV (RFC 4180; a byte order mark and bare line feeds are accepted too), one record at a time. Cells
// are separated by commas or by semicolons: by the first of them that follows a cell.
class CsvReader {
 public:
  // `in` outlives it.
  explicit CsvReader(std::istream& in);

  // nullopt at the end. Empty lines are skipped. Throws CsvError.
  std::optional<std::vector<std::string>> next();
  // Where the last record began: 1, 2, 3…
  std::size_t line() const { return record_line_; }

 private:
  std::optional<std::vector<std::string>> read_record();
  // Up to the separator or line end behind it, which is returned.
  int read_cell(std::string& cell);
  int read_quoted(std::string& cell);
  int get();
  bool ends_cell(int c);

  std::istream& in_;
  int separator_ = 0;  // not known yet
  std::size_t line_ = 1;
  std::size_t record_line_ = 0;
};

}  // namespace pixledger::tools
