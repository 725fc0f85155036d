#include "tools/cli/table_output.h"

#include <stdexcept>
#include <unistd.h>

#include "base/process/options.h"
#include "base/process/output.h"
#include "stores/exports/workbooks/table_writers.h"

namespace pixledger::tools {
namespace {

std::unique_ptr<stores::TableWriter> begun(stores::TableFormat format, const stores::Table& table,
                                           stores::Language language, Timestamp now) {
  if (format == stores::TableFormat::kWorkbook && ::isatty(STDOUT_FILENO))
    throw UsageError("--format xlsx is no text for a terminal: add > FILE.xlsx");
  return stores::make_table_writer(format, table, language, now);
}

}  // namespace

TableOutput::TableOutput(std::ostream& out, stores::TableFormat format, const stores::Table& table,
                         stores::Language language, Timestamp now)
    : out_(out), writer_(begun(format, table, language, now)) {
  writer_->begin(ready_);
  put();
}

void TableOutput::add(const stores::Cells& row) {
  writer_->add(row, ready_);
  put();
}

void TableOutput::end() {
  while (writer_->end(ready_)) put();
  put();
}

void TableOutput::put() {
  if (ready_.empty()) return;
  // Immediately: a customer may be erased before the next row.
  const bool is_written = static_cast<bool>(out_ << ready_ << std::flush);
  ready_.clear();
  if (is_written) return;
  flush_output();  // throws the cause, and truncates the partial table
  throw std::runtime_error("the output could not be written");
}

}  // namespace pixledger::tools
