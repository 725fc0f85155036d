#include "tools/accounting/export_table.h"

#include <cassert>
#include <stdexcept>
#include <utility>

#include "eventstore/process/output.h"

namespace pixledger::tools {
namespace {

using projections::Cells;
using projections::Columns;

void put(std::ostream& out, const std::string& line) {
  if (out << line) return;
  if (!eventstore::somebody_reads_output()) throw eventstore::ReaderGone();
  throw std::runtime_error("the output could not be written");
}

class CsvWriter final : public TableWriter {
 public:
  CsvWriter(std::ostream& out, const Columns& columns) : out_(out), width_(columns.size()) {
    put(out_, projections::csv_head(columns));
  }

  void write(const Cells& row) override {
    assert(row.size() == width_);
    put(out_, projections::csv_line(row));
  }

 private:
  std::ostream& out_;
  const std::size_t width_;
};

class JsonLinesWriter final : public TableWriter {
 public:
  JsonLinesWriter(std::ostream& out, Columns columns) : out_(out), columns_(std::move(columns)) {}

  void write(const Cells& row) override { put(out_, projections::json_line(columns_, row)); }

 private:
  std::ostream& out_;
  const Columns columns_;
};

}  // namespace

std::unique_ptr<TableWriter> csv_writer(std::ostream& out, const Columns& columns) {
  return std::make_unique<CsvWriter>(out, columns);
}

std::unique_ptr<TableWriter> json_lines_writer(std::ostream& out, Columns columns) {
  return std::make_unique<JsonLinesWriter>(out, std::move(columns));
}

}  // namespace pixledger::tools
