#pragma once

#include <memory>
#include <string>

#include "base/platform/json.h"
#include "stores/exports/table.h"

namespace pixledger::stores {

// One value of CSV (RFC 4180), without its separator. Hidden characters of texts are spelt as escapes
// (base/text/hidden_characters.h), but for those of metadata, which is JSON. A text that a spreadsheet
// would take for a formula (beginning with = + - @, a tab or a line break, also behind blanks, a semicolon or
// a line break) gets an apostrophe in front of that, which makes it a text there. Numbers stay as they are.
std::string csv_cell(const Cell& value);

// A line of CSV for each row, below one with the names; lines end with CR LF, as RFC 4180 has it.
std::unique_ptr<TableWriter> csv_writer(Columns columns);
// The same with what Brazilian spreadsheets open by a double click: a byte order mark, semicolons, reais with
// a decimal comma, local times, documents punctuated. A text that a spreadsheet would take for a number or a
// date, and so lose digits of, gets an apostrophe, too.
std::unique_ptr<TableWriter> brazilian_csv_writer(Columns columns, Language language);
// A row as the members of the object that is open, with null where there is nothing.
void write_members(Json& json, const Columns& columns, const Cells& row);
// An object for each row.
std::unique_ptr<TableWriter> json_lines_writer(Columns columns);

}  // namespace pixledger::stores
