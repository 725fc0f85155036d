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

// Tables that leave the house: their columns and cells, and the forms that they are written in.

// A moment as the clocks of a zone show it.
struct LocalTime {
  Timestamp moment;
  TimeZone zone;

  // As if they showed UTC, since 1970-01-01T00:00.
  std::int64_t local_ms() const { return moment.millis() + zone.offset_s(moment) * 1000; }
};

// A date without a time, in days since 1970-01-01.
struct CalendarDay {
  std::int64_t number;
};

// A value of a table: nothing, a number, a text of valid UTF-8, a merchant's metadata, which all but JSON
// have as a text of JSON, a time or a date.
using Cell =
    std::variant<std::monostate, std::int64_t, std::string, domain::Metadata, LocalTime, CalendarDay>;
using Cells = std::vector<Cell>;

inline Cell cell(std::optional<std::string> text) { return text ? Cell(*std::move(text)) : Cell(); }

enum class Language { kPortuguese, kEnglish };
std::optional<Language> parse_language(std::string_view text);  // "pt", "en"
inline constexpr std::string_view kLanguageRule = "must be pt or en";

// What stands above a table or column, for people. Literals.
struct Title {
  std::string_view portuguese{};
  std::string_view english{};

  constexpr std::string_view in(Language language) const {
    return language == Language::kPortuguese ? portuguese : english;
  }
};

// One of the service's own words, such as "paid", as Brazilians read it. Literals.
struct Word {
  std::string_view code;
  std::string_view portuguese;
};
using Words = std::span<const Word>;

struct Column {
  enum class Kind {
    kText,
    kDocument,  // digits that are no number
    kNumber,
    kCents,  // integers for programs, reais for people
    kTime,
  };

  constexpr Column(const char* of_programs, Kind what = Kind::kText, Title of_people = {}, Words of_it = {})
      : name(of_programs), kind(what), title(of_people), words(of_it) {}

  std::string_view name;  // for programs; a literal
  Kind kind;
  Title title;  // empty: people are not shown it
  Words words;  // that it has besides others
};
using Columns = std::vector<Column>;

// A cell of the column as people read it.
Cell shown_to_people(const Column& column, Language language, const Cell& value);

struct Table {
  Title title;
  Columns columns;
};

enum class TableFormat {
  kCsv,           // for programs: names, cents, ISO 8601
  kBrazilianCsv,  // for people whose spreadsheets separate by semicolons and write decimals behind a comma
  kWorkbook,      // xlsx, for people
  kJsonLines,
};
std::optional<TableFormat> parse_table_format(std::string_view text);  // "csv", "csv-br", "xlsx", "jsonl"
inline constexpr std::string_view kTableFormatRule = "must be csv, csv-br, xlsx or jsonl";
std::string_view file_extension(TableFormat format);  // "csv"
std::string_view media_type(TableFormat format);

// Writes one table, a row at a time; keeps none of them in memory. What is ready to be sent is appended to
// `out` by each call, in this order: begin(), add() for each row, end() until it is false. May throw: the
// table cannot be written to its end. Used by one thread at a time.
class TableWriter {
 public:
  virtual ~TableWriter() = default;

  virtual void begin(std::string& out) = 0;
  // As many cells as there are columns.
  virtual void add(const Cells& row, std::string& out) = 0;
  // A part of what is left, maybe an empty one, within some tens of milliseconds. False once the table is
  // whole.
  virtual bool end(std::string& out) = 0;
};

// One value of CSV (RFC 4180), without its separator. Hidden characters of texts are spelt as escapes
// (base/text/text.h), but for those of metadata, which is JSON. A text that a spreadsheet
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
