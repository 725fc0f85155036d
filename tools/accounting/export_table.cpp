#include "tools/accounting/export_table.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "eventstore/platform/json.h"
#include "eventstore/process/output.h"

namespace pixledger::tools {
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

void put(std::ostream& out, const std::string& line) {
  if (out << line) return;
  if (!eventstore::somebody_reads_output()) throw eventstore::ReaderGone();
  throw std::runtime_error("the output could not be written");
}

class CsvWriter final : public TableWriter {
 public:
  CsvWriter(std::ostream& out, const Columns& columns) : out_(out), width_(columns.size()) {
    Cells names;
    for (const auto name : columns) names.emplace_back(std::string(name));
    write(names);
  }

  void write(const Cells& row) override {
    assert(row.size() == width_);
    line_.clear();
    for (const auto& value : row) {
      if (&value != row.data()) line_ += ',';
      line_ += csv_cell(value);
    }
    put(out_, line_ + "\r\n");
  }

 private:
  std::ostream& out_;
  const std::size_t width_;
  std::string line_;
};

class JsonLinesWriter final : public TableWriter {
 public:
  JsonLinesWriter(std::ostream& out, Columns columns) : out_(out), columns_(std::move(columns)) {}

  void write(const Cells& row) override {
    assert(row.size() == columns_.size());
    json_.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      json_.key(columns_[i]);
      std::visit(JsonValue{json_}, row[i]);
    }
    json_.end_object();
    put(out_, json_.take_line());
  }

 private:
  std::ostream& out_;
  const Columns columns_;
  eventstore::Json json_;
};

}  // namespace

std::string csv_cell(const Cell& value) { return std::visit(CsvText{}, value); }

std::unique_ptr<TableWriter> csv_writer(std::ostream& out, const Columns& columns) {
  return std::make_unique<CsvWriter>(out, columns);
}

std::unique_ptr<TableWriter> json_lines_writer(std::ostream& out, Columns columns) {
  return std::make_unique<JsonLinesWriter>(out, std::move(columns));
}

}  // namespace pixledger::tools
