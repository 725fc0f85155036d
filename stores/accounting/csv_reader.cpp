#include "stores/accounting/csv_reader.h"

#include <algorithm>

#include "stores/accounting/statement.h"
#include "stores/accounting/statement_text.h"

namespace pixledger::stores {
namespace {

// A cell that is longer was not closed.
constexpr std::size_t kCellBytesMax = std::size_t{1} << 16;

}  // namespace

std::optional<std::vector<std::string>> CsvReader::next() {
  if (at_ >= text_.size()) return std::nullopt;
  record_line_ = line_;
  const auto begin = at_;
  std::vector<std::string> cells;
  for (bool more = true; more;) {
    cells.push_back(read_cell());
    more = at_ < text_.size() && text_[at_] == separator_;
    if (more) ++at_;
  }
  record_ = text_.substr(begin, at_ - begin);
  // A line ends with "\n", "\r\n" or "\r".
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  ++line_;
  return cells;
}

std::string CsvReader::read_cell() {
  const auto ends_cell = [this](std::size_t at) {
    return at >= text_.size() || text_[at] == separator_ || text_[at] == '\n' || text_[at] == '\r';
  };
  auto begin = at_;
  while (!ends_cell(begin) && text_[begin] == ' ') ++begin;
  if (begin < text_.size() && text_[begin] == '"') {
    at_ = begin;
    auto cell = read_quoted();
    while (!ends_cell(at_)) cell += text_[at_++];
    return cell;
  }
  begin = at_;
  while (!ends_cell(at_)) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string CsvReader::read_quoted() {
  const auto begin = at_++;
  std::string cell;
  while (at_ < text_.size() && cell.size() < kCellBytesMax) {
    const char c = text_[at_++];
    if (c == '"') {
      if (at_ >= text_.size() || text_[at_] != '"') return cell;
      ++at_;
    }
    if (c == '\n') ++line_;
    cell += c;
  }
  throw StatementRefused("the statement's line " + std::to_string(record_line_) + ": a quote is not closed",
                         shown(text_.substr(begin, 200)));
}

}  // namespace pixledger::stores
