#include "tools/accounting/csv_reader.h"

#include <utility>

namespace pixledger::tools {
namespace {

constexpr int kEnd = std::char_traits<char>::eof();
// A record that is longer was not closed.
constexpr std::size_t kCellBytesMax = std::size_t{1} << 16;

}  // namespace

CsvReader::CsvReader(std::istream& in) : in_(in) {
  for (const int mark : {0xef, 0xbb, 0xbf}) {
    if (in_.peek() != mark) return;
    in_.get();
  }
}

std::optional<std::vector<std::string>> CsvReader::next() {
  while (in_.peek() != kEnd) {
    record_line_ = line_;
    auto record = read_record();
    if (record) return record;
  }
  return std::nullopt;
}

// nullopt for an empty line.
std::optional<std::vector<std::string>> CsvReader::read_record() {
  std::vector<std::string> cells;
  while (true) {
    std::string cell;
    const int behind = read_cell(cell);
    cells.push_back(std::move(cell));
    if (behind == separator_) continue;
    if (cells.size() == 1 && cells.front().empty()) return std::nullopt;
    return cells;
  }
}

int CsvReader::read_cell(std::string& cell) {
  if (in_.peek() == '"') return read_quoted(cell);
  for (int c = get();; c = get()) {
    if (ends_cell(c)) {
      if (c != separator_ && !cell.empty() && cell.back() == '\r') cell.pop_back();
      return c;
    }
    if (cell.size() >= kCellBytesMax) throw CsvError("line " + std::to_string(record_line_) + " is too long");
    cell += static_cast<char>(c);
  }
}

int CsvReader::read_quoted(std::string& cell) {
  get();
  while (true) {
    int c = get();
    if (c == kEnd || cell.size() >= kCellBytesMax)
      throw CsvError("line " + std::to_string(record_line_) + ": a quote is not closed");
    if (c != '"') {
      cell += static_cast<char>(c);
      continue;
    }
    c = get();
    if (c == '"') {
      cell += '"';
      continue;
    }
    if (c == '\r' && in_.peek() == '\n') c = get();
    if (ends_cell(c)) return c;
    throw CsvError("line " + std::to_string(record_line_) + ": something follows a closing quote");
  }
}

bool CsvReader::ends_cell(int c) {
  if (separator_ == 0 && (c == ',' || c == ';')) separator_ = c;
  return c == separator_ || c == '\n' || c == kEnd;
}

int CsvReader::get() {
  const int c = in_.get();
  if (c == '\n') ++line_;
  return c;
}

}  // namespace pixledger::tools
