#include "projections/exports/table_text.h"

#include <algorithm>
#include <cassert>

#include "eventstore/platform/json.h"

namespace pixledger::projections {
namespace {

constexpr std::string_view kFormulaStarts = "=+-@\t";
constexpr std::string_view kLineBreaks = "\r\n";

// Spreadsheets that separate cells by semicolons, as Brazilian ones do, see a cell begin behind each,
// whatever quotes are around, and behind each line break; and some look behind blanks for what a cell is.
std::string guarded(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = std::min(text.find_first_not_of(' ', at), text.size());
    const bool is_formula =
        first < text.size() && (kFormulaStarts.find(text[first]) != std::string_view::npos ||
                                (at == 0 && kLineBreaks.find(text[first]) != std::string_view::npos));
    if (is_formula) shown += '\'';
    const auto end = std::min(text.find_first_of(";\r\n", at), text.size() - 1) + 1;
    shown += text.substr(at, end - at);
    at = end;
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
