#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "stores/exports/table.h"

namespace pixledger::tools {

// Writes a table row by row. Throws ReaderGone if the reader has closed the pipe, and std::runtime_error if
// writing fails. `out` must outlive it.
class TableOutput {
 public:
  // Throws UsageError for a workbook on a terminal.
  TableOutput(std::ostream& out, stores::TableFormat format, const stores::Table& table,
              stores::Language language, Timestamp now);

  void add(const stores::Cells& row);
  void end();

 private:
  void put();

  std::ostream& out_;
  const std::unique_ptr<stores::TableWriter> writer_;
  std::string ready_;
};

}  // namespace pixledger::tools
