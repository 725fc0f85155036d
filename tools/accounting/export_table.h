#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/values/metadata.h"

namespace pixledger::tools {

// A value of a table: nothing, a number, a text of valid UTF-8, or a merchant's metadata, which CSV has as
// JSON.
using Cell = std::variant<std::monostate, std::int64_t, std::string, domain::Metadata>;
using Cells = std::vector<Cell>;
using Columns = std::vector<std::string_view>;  // names; literals

inline Cell cell(std::optional<std::string> text) { return text ? Cell(*std::move(text)) : Cell(); }

// One value of CSV (RFC 4180), without its separator. A text that a spreadsheet would take for a formula
// (beginning with = + - @, a tab or a line break, also behind blanks, a semicolon or a line break) gets an
// apostrophe in front of that, which makes it a text there.
// Numbers stay as they are.
std::string csv_cell(const Cell& value);

// Where the rows of a table go, one after the other; nothing is kept. `out` outlives it.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  // As many cells as there are columns.
  virtual void write(const Cells& row) = 0;
};

// A heading of column names at once, then a line for each row; lines end with CR LF, as RFC 4180 has it.
std::unique_ptr<TableWriter> csv_writer(std::ostream& out, const Columns& columns);
// An object for each row, with null where there is nothing.
std::unique_ptr<TableWriter> json_lines_writer(std::ostream& out, Columns columns);

}  // namespace pixledger::tools
