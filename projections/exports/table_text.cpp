#include "projections/exports/table_text.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "domain/text/typed_text.h"
#include "eventstore/platform/json.h"

namespace pixledger::projections {
namespace {

constexpr std::string_view kLineBreaks = "\r\n";
// Full-width and small ones are taken for what they stand for.
constexpr std::array<std::string_view, 13> kFormulaStarts = {
    "=", "+", "-", "@", "\t", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe66", "\ufe62", "\ufe63", "\ufe6b"};
// Behind which a spreadsheet may see another cell begin; the last two are Unicode's line and paragraph
// separators.
constexpr std::array<std::string_view, 5> kCellEnds = {";", "\r", "\n", "\u2028", "\u2029"};

template <std::size_t Count>
std::size_t any_at_front(std::string_view text, const std::array<std::string_view, Count>& texts) {
  const auto* const found = std::find_if(texts.begin(), texts.end(),
                                         [text](std::string_view each) { return text.starts_with(each); });
  return found == texts.end() ? 0 : found->size();
}

// Of one cell, with what ends it.
bool begins_formula(std::string_view cell, bool is_first) {
  const auto bare = domain::without_leading_blanks(cell);
  if (any_at_front(bare, kFormulaStarts) > 0) return true;
  // What is blank may be one already: a tab, or a line break at the beginning.
  const auto blank = cell.substr(0, cell.size() - bare.size());
  return blank.find('\t') != std::string_view::npos ||
         (is_first && blank.find_first_of(kLineBreaks) != std::string_view::npos);
}

// Spreadsheets that separate cells by semicolons, as Brazilian ones do, see a cell begin behind each,
// whatever quotes are around, and behind each line break; and some look behind blanks, of any kind, and
// characters without width for what a cell is.
std::string guarded(std::string_view text) {
  std::string shown;
  bool is_first = true;
  while (!text.empty()) {
    std::size_t end = 0;
    std::size_t separator = 0;
    while (end < text.size() && (separator = any_at_front(text.substr(end), kCellEnds)) == 0) ++end;
    const auto cell = text.substr(0, end + separator);
    if (begins_formula(cell, is_first)) shown += '\'';
    is_first = false;
    shown += cell;
    text.remove_prefix(cell.size());
  }
  return shown;
}

struct CsvText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(const std::string& text) const {
    const std::string shown = guarded(text);
    if (shown.find_first_of(",\"\r\n") == std::string::npos) return shown;
    std::string quoted = "\"";
    for (const char c : shown) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return quoted + '"';
  }
  std::string operator()(const domain::Metadata& metadata) const {
    eventstore::Json json;
    json.value(metadata);
    return (*this)(json.take());
  }
};

struct JsonValue {
  eventstore::Json& json;

  void operator()(std::monostate) const { json.null(); }
  void operator()(std::int64_t number) const { json.value(number); }
  void operator()(const std::string& text) const { json.value(text); }
  void operator()(const domain::Metadata& metadata) const { json.value(metadata); }
};

}  // namespace

std::string csv_cell(const Cell& value) { return std::visit(CsvText{}, value); }

std::string csv_line(const Cells& row) {
  std::string line;
  for (const auto& value : row) {
    if (&value != row.data()) line += ',';
    line += csv_cell(value);
  }
  return line += "\r\n";
}

std::string csv_head(const Columns& columns) {
  Cells names;
  for (const auto name : columns) names.emplace_back(std::string(name));
  return csv_line(names);
}

std::string json_line(const Columns& columns, const Cells& row) {
  assert(row.size() == columns.size());
  eventstore::Json json;
  json.begin_object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    json.key(columns[i]);
    std::visit(JsonValue{json}, row[i]);
  }
  json.end_object();
  return json.take_line();
}

}  // namespace pixledger::projections
