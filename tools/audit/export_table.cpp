#include "tools/audit/export_table.h"

#include <cassert>
#include <stdexcept>
#include <utility>

#include "eventstore/platform/json.h"
#include "eventstore/process/output.h"

namespace pixledger::tools {
namespace {

constexpr std::string_view kFormulaStarts = "=+-@\t\r\n";

struct CsvText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(const std::string& text) const {
    const bool guarded = !text.empty() && kFormulaStarts.find(text.front()) != std::string_view::npos;
    const std::string shown = guarded ? '\'' + text : text;
    if (shown.find_first_of(",\"\r\n") == std::string::npos) return shown;
    std::string quoted = "\"";
    for (const char c : shown) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return quoted + '"';
  }
};

struct JsonValue {
  eventstore::Json& json;

  void operator()(std::monostate) const { json.null(); }
  void operator()(std::int64_t number) const { json.value(number); }
  void operator()(const std::string& text) const { json.value(text); }
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
