#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/platform/json.h"
#include "base/platform/time_zone.h"
#include "base/values/timestamp.h"
#include "domain/values/metadata.h"

namespace pixledger::stores {

// Exported tables: their columns, cells and formats.

// A time in a zone's local time.
struct LocalTime {
  Timestamp moment;
  TimeZone zone;

  // Local milliseconds since 1970-01-01T00:00 local time.
  std::int64_t local_ms() const { return moment.millis() + zone.offset_s(moment) * 1000; }
};

// A date without a time, in days since 1970-01-01.
struct CalendarDay {
  std::int64_t number;
};

// A table's value: nothing, a number, text of valid UTF-8, a merchant's metadata, a time or a date. Metadata
// becomes a JSON text in all formats but JSON.
using Cell =
    std::variant<std::monostate, std::int64_t, std::string, domain::Metadata, LocalTime, CalendarDay>;
using Cells = std::vector<Cell>;

inline Cell cell(std::optional<std::string> text) { return text ? Cell(*std::move(text)) : Cell(); }

enum class Language { kPortuguese, kEnglish };
std::optional<Language> parse_language(std::string_view text);  // "pt", "en"
inline constexpr std::string_view kLanguageRule = "must be pt or en";

// Displayed title of a table or column. Literals.
struct Title {
  std::string_view portuguese{};
  std::string_view english{};

  constexpr std::string_view in(Language language) const {
    return language == Language::kPortuguese ? portuguese : english;
  }
};

// A code of the service, such as "paid", and its Portuguese word. Literals.
struct Word {
  std::string_view code;
  std::string_view portuguese;
};
using Words = std::span<const Word>;

struct Column {
  enum class Kind {
    kText,
    kDocument,  // digits that are not a number
    kNumber,
    kCents,  // integers in machine-readable formats, reais for people
    kTime,
  };

  constexpr Column(const char* of_programs, Kind what = Kind::kText, Title of_people = {}, Words of_it = {})
      : name(of_programs), kind(what), title(of_people), words(of_it) {}

  std::string_view name;  // in machine-readable formats; a literal
  Kind kind;
  Title title;  // empty: hidden from people
  Words words;  // translations of some values
};
using Columns = std::vector<Column>;

// A column's cell as displayed to people.
Cell shown_to_people(const Column& column, Language language, const Cell& value);

struct Table {
  Title title;
  Columns columns;
};

enum class TableFormat {
  kCsv,           // machine-readable: names, cents, ISO 8601
  kBrazilianCsv,  // for spreadsheets with semicolons and decimal commas
  kWorkbook,      // xlsx, for people
  kJsonLines,
};
std::optional<TableFormat> parse_table_format(std::string_view text);  // "csv", "csv-br", "xlsx", "jsonl"
inline constexpr std::string_view kTableFormatRule = "must be csv, csv-br, xlsx or jsonl";
std::string_view file_extension(TableFormat format);  // "csv"
std::string_view media_type(TableFormat format);

// Writes one table row by row, without keeping rows in memory. Each call appends output to `out`. Call
// begin(), add() for each row, then end() until it returns false. If a call throws, the table cannot be
// completed. Used by one thread at a time.
class TableWriter {
 public:
  virtual ~TableWriter() = default;

  virtual void begin(std::string& out) = 0;
  // One cell per column.
  virtual void add(const Cells& row, std::string& out) = 0;
  // Appends a part of the rest, possibly empty, within some tens of milliseconds. Returns false once the
  // table is complete.
  virtual bool end(std::string& out) = 0;
};

// One CSV value (RFC 4180), without its separator. Hidden characters of texts are escaped (base/text/text.h),
// except in metadata, which is JSON. An apostrophe precedes text that a spreadsheet would read as a formula:
// text with = + - @, a tab or a line break at its start or after blanks, a semicolon or a line break. Numbers
// stay unchanged.
std::string csv_cell(const Cell& value);

// A header line with the names, then a CSV line per row; lines end with CR LF as in RFC 4180.
std::unique_ptr<TableWriter> csv_writer(Columns columns);
// CSV that Brazilian spreadsheets open by a double click: byte order mark, semicolons, reais with a decimal
// comma, local times, punctuated documents. An apostrophe also precedes text that a spreadsheet would read as
// a number or date, losing digits.
std::unique_ptr<TableWriter> brazilian_csv_writer(Columns columns, Language language);
// Writes a row as members of the open object; null for empty cells.
void write_members(Json& json, const Columns& columns, const Cells& row);
// One object per row.
std::unique_ptr<TableWriter> json_lines_writer(Columns columns);

}  // namespace pixledger::stores
