#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/values/metadata.h"

namespace pixledger::projections {

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

// A line of CSV for each row, below one with the names; lines end with CR LF, as RFC 4180 has it.
std::string csv_line(const Cells& row);
std::string csv_head(const Columns& columns);
// An object for each row, with null where there is nothing. As many cells as there are columns.
std::string json_line(const Columns& columns, const Cells& row);

}  // namespace pixledger::projections
