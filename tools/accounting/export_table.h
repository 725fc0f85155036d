#pragma once

#include <memory>
#include <ostream>

#include "projections/exports/table_text.h"

namespace pixledger::tools {

// Where the rows of a table go, one after the other; nothing is kept. `out` outlives it.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  // As many cells as there are columns.
  virtual void write(const projections::Cells& row) = 0;
};

// A heading of column names at once, then a line for each row: see csv_line.
std::unique_ptr<TableWriter> csv_writer(std::ostream& out, const projections::Columns& columns);
// See json_line.
std::unique_ptr<TableWriter> json_lines_writer(std::ostream& out, projections::Columns columns);

}  // namespace pixledger::tools
