#include "stores/exports/table.h"

#include <algorithm>
#include <array>

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

}  // namespace

std::optional<Language> parse_language(std::string_view text) {
  if (text == "pt") return Language::kPortuguese;
  if (text == "en") return Language::kEnglish;
  return std::nullopt;
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

}  // namespace pixledger::stores
