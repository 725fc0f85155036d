#include "stores/exports/table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "base/text/enum_names.h"
#include "base/text/text.h"
#include "base/values/civil_date.h"
#include "domain/values/cents.h"

namespace pixledger::stores {
namespace {

struct Form {
  TableFormat format;
  std::string_view name;
  std::string_view extension;
  std::string_view media_type;
};
constexpr std::array kForms = {Form{TableFormat::kCsv, "csv", "csv", "text/csv; charset=utf-8"},
                               Form{TableFormat::kBrazilianCsv, "csv-br", "csv", "text/csv; charset=utf-8"},
                               Form{TableFormat::kWorkbook, "xlsx", "xlsx",
                                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
                               Form{TableFormat::kJsonLines, "jsonl", "jsonl", "application/x-ndjson"}};

const Form& form_of(TableFormat format) { return kForms.at(static_cast<std::size_t>(format)); }

constexpr std::string_view kLineBreaks = "\r\n";
// Full-width and small forms count as the characters that they represent.
constexpr std::array<std::string_view, 13> kFormulaStarts = {
    "=", "+", "-", "@", "\t", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\ufe66", "\ufe62", "\ufe63", "\ufe6b"};
// Characters after which a spreadsheet may start another cell; the last two are Unicode's line and paragraph
// separators.
constexpr std::array<std::string_view, 5> kCellEnds = {";", "\r", "\n", "\u2028", "\u2029"};

template <std::size_t Count>
std::size_t any_at_front(std::string_view text, const std::array<std::string_view, Count>& texts) {
  const auto* const found = std::find_if(texts.begin(), texts.end(),
                                         [text](std::string_view each) { return text.starts_with(each); });
  return found == texts.end() ? 0 : found->size();
}

// For one cell with its terminator.
bool begins_formula(std::string_view cell, bool is_first) {
  const auto bare = without_leading_blanks(cell);
  if (any_at_front(bare, kFormulaStarts) > 0) return true;
  // The blanks may start a formula themselves: a tab, or a line break at the beginning.
  const auto blank = cell.substr(0, cell.size() - bare.size());
  return blank.find('\t') != std::string_view::npos ||
         (is_first && blank.find_first_of(kLineBreaks) != std::string_view::npos);
}

// Spreadsheets that separate cells by semicolons, such as Brazilian ones, start a cell after each semicolon,
// even within quotes, and after each line break. Some skip blanks and zero-width characters before they
// interpret a cell.
std::string guarded(std::string_view text) {
  std::string shown;
  bool is_first = true;
  while (!text.empty()) {
    std::size_t end = 0;
    std::size_t separator = 0;
    while (end < text.size() && (separator = any_at_front(text.substr(end), kCellEnds)) == 0) ++end;
    const auto cell = text.substr(0, end + separator);
    if (begins_formula(cell, is_first)) shown += '\'';
    is_first = false;
    shown += cell;
    text.remove_prefix(cell.size());
  }
  return shown;
}

std::string quoted_if_needed(std::string shown, const char* special) {
  if (shown.find_first_of(special) == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

struct CsvText {
  static constexpr const char* kSpecial = ",\"\r\n";

  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(const std::string& text) const {
    return quoted_if_needed(with_hidden_escaped(guarded(text)), kSpecial);
  }
  // Exact, like JSON for programs.
  std::string operator()(const domain::Metadata& metadata) const {
    Json json;
    json.value(metadata);
    return quoted_if_needed(guarded(json.take()), kSpecial);
  }
  std::string operator()(const LocalTime& time) const { return time.zone.text_of(time.moment); }
  std::string operator()(const CalendarDay& day) const { return date_text(day.number); }
};

// Digits, and the characters that appear within numbers, dates and times.
bool looks_like_number(std::string_view text) {
  constexpr std::string_view kBetween = " .,/:-+eE%";
  const auto is_digit = [](char c) { return is_ascii_digit(c); };
  const auto first = text.find_first_not_of(" .,");
  return first != std::string_view::npos && is_digit(text[first]) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_digit(c) || kBetween.find(c) != std::string_view::npos; });
}

// In the usual punctuation; masked and other documents stay unchanged.
std::string punctuated(const std::string& document) {
  const auto part = [&](std::size_t from, std::size_t size) { return document.substr(from, size); };
  if (!std::all_of(document.begin(), document.end(), [](char c) { return is_ascii_alnum(c); }))
    return guarded(document);
  if (document.size() == 11) return part(0, 3) + '.' + part(3, 3) + '.' + part(6, 3) + '-' + part(9, 2);
  if (document.size() == 14)
    return part(0, 2) + '.' + part(2, 3) + '.' + part(5, 3) + '/' + part(8, 4) + '-' + part(12, 2);
  return document;
}

// For spreadsheets with Brazilian settings.
struct BrazilianText {
  Column::Kind kind;

  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const {
    if (kind != Column::Kind::kCents) return std::to_string(number);
    auto text = domain::to_decimal(domain::Cents(number));
    std::replace(text.begin(), text.end(), '.', ',');
    return text;
  }
  std::string operator()(const std::string& text) const {
    auto shown = kind == Column::Kind::kDocument ? punctuated(text) : guarded(text);
    if (kind != Column::Kind::kDocument && looks_like_number(shown)) shown.insert(0, 1, '\'');
    return quoted_if_needed(with_hidden_escaped(shown), ";\"\r\n");
  }
  std::string operator()(const domain::Metadata& metadata) const {
    Json json;
    json.value(metadata);
    return (*this)(json.take());
  }
  std::string operator()(const LocalTime& time) const {
    constexpr std::int64_t kDayS = kDayMs / 1000;
    const auto local_s = std::max<std::int64_t>(time.local_ms() / 1000, 0);
    const auto of_day = static_cast<int>(local_s % kDayS);
    char text[16];
    std::snprintf(text, sizeof text, " %02d:%02d:%02d", of_day / 3600, of_day / 60 % 60, of_day % 60);
    return (*this)(CalendarDay{local_s / kDayS}) + text;
  }
  std::string operator()(const CalendarDay& day) const {
    const auto date = civil_from_days(day.number);
    char text[32];
    std::snprintf(text, sizeof text, "%02u/%02u/%04d", date.day, date.month, date.year);
    return text;
  }
};

struct JsonValue {
  Json& json;

  void operator()(std::monostate) const { json.null(); }
  void operator()(std::int64_t number) const { json.value(number); }
  void operator()(const std::string& text) const { json.value(text); }
  void operator()(const domain::Metadata& metadata) const { json.value(metadata); }
  void operator()(const LocalTime& time) const { json.value(time.zone.text_of(time.moment)); }
  void operator()(const CalendarDay& day) const { json.value(date_text(day.number)); }
};

class CsvWriter final : public TableWriter {
 public:
  explicit CsvWriter(Columns columns) : columns_(std::move(columns)) {}

  void begin(std::string& out) override {
    Cells names;
    for (const auto& column : columns_) names.emplace_back(std::string(column.name));
    add(names, out);
  }
  void add(const Cells& row, std::string& out) override {
    assert(row.size() == columns_.size());
    for (const auto& value : row) {
      if (&value != row.data()) out += ',';
      out += csv_cell(value);
    }
    out += "\r\n";
  }
  bool end(std::string&) override { return false; }

 private:
  const Columns columns_;
};

class BrazilianCsvWriter final : public TableWriter {
 public:
  BrazilianCsvWriter(Columns columns, Language language)
      : columns_(std::move(columns)), language_(language) {}

  void begin(std::string& out) override {
    out += kByteOrderMark;
    write_line(out, [&](std::size_t i) {
      return BrazilianText{Column::Kind::kText}(std::string(columns_[i].title.in(language_)));
    });
  }
  void add(const Cells& row, std::string& out) override {
    assert(row.size() == columns_.size());
    write_line(out, [&](std::size_t i) {
      return std::visit(BrazilianText{columns_[i].kind}, shown_to_people(columns_[i], language_, row[i]));
    });
  }
  bool end(std::string&) override { return false; }

 private:
  template <class TextAt>
  void write_line(std::string& out, TextAt text_at) const {
    bool is_first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].title.in(language_).empty()) continue;
      if (!is_first) out += ';';
      is_first = false;
      out += text_at(i);
    }
    out += "\r\n";
  }

  const Columns columns_;
  const Language language_;
};

class JsonLinesWriter final : public TableWriter {
 public:
  explicit JsonLinesWriter(Columns columns) : columns_(std::move(columns)) {}

  void begin(std::string&) override {}
  void add(const Cells& row, std::string& out) override {
    Json json;
    json.begin_object();
    write_members(json, columns_, row);
    json.end_object();
    out += json.take_line();
  }
  bool end(std::string&) override { return false; }

 private:
  const Columns columns_;
};

}  // namespace

std::optional<Language> parse_language(std::string_view text) {
  return EnumNames<Language::kPortuguese, Language::kEnglish>("pt", "en").parse(text);
}

Cell shown_to_people(const Column& column, Language language, const Cell& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text || language != Language::kPortuguese) return value;
  const auto word = std::find_if(column.words.begin(), column.words.end(),
                                 [text](const Word& each) { return each.code == *text; });
  return word == column.words.end() ? value : Cell(std::string(word->portuguese));
}

std::optional<TableFormat> parse_table_format(std::string_view text) {
  for (const auto& form : kForms)
    if (form.name == text) return form.format;
  return std::nullopt;
}

std::string_view file_extension(TableFormat format) { return form_of(format).extension; }
std::string_view media_type(TableFormat format) { return form_of(format).media_type; }

std::string csv_cell(const Cell& value) { return std::visit(CsvText{}, value); }

void write_members(Json& json, const Columns& columns, const Cells& row) {
  assert(row.size() == columns.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    json.key(columns[i].name);
    std::visit(JsonValue{json}, row[i]);
  }
}

std::unique_ptr<TableWriter> csv_writer(Columns columns) {
  return std::make_unique<CsvWriter>(std::move(columns));
}

std::unique_ptr<TableWriter> brazilian_csv_writer(Columns columns, Language language) {
  return std::make_unique<BrazilianCsvWriter>(std::move(columns), language);
}

std::unique_ptr<TableWriter> json_lines_writer(Columns columns) {
  return std::make_unique<JsonLinesWriter>(std::move(columns));
}

}  // namespace pixledger::stores
