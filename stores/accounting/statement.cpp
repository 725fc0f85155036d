#include "stores/accounting/statement.h"

#include <array>

#include "base/text/ascii.h"
#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_text.h"

namespace pixledger::stores {

std::optional<StatementFormat> parse_statement_format(std::string_view name) {
  if (name == "csv") return StatementFormat::kCsv;
  if (name == "ofx") return StatementFormat::kOfx;
  if (name == "pix-json") return StatementFormat::kPixJson;
  return std::nullopt;
}

std::string_view to_string(StatementFormat format) {
  switch (format) {
    case StatementFormat::kCsv:
      return "csv";
    case StatementFormat::kOfx:
      return "ofx";
    case StatementFormat::kPixJson:
      return "pix-json";
  }
  return "unknown";
}

StatementFormat guess_statement_format(std::string_view bytes) {
  constexpr std::size_t kBeginBytes = 4096;
  const auto text = text_of_file(bytes.substr(0, kBeginBytes));
  const auto begin = trimmed(text);
  if (begin.starts_with("{") || begin.starts_with("[")) return StatementFormat::kPixJson;
  std::string capitals;
  for (const char c : begin) capitals += to_ascii_upper(c);
  const bool is_ofx = capitals.find("<OFX>") != std::string::npos || capitals.starts_with("OFXHEADER") ||
                      capitals.find("<?OFX") != std::string::npos;
  return is_ofx ? StatementFormat::kOfx : StatementFormat::kCsv;
}

namespace {

// Refuses files of other programs, by their first bytes.
void refuse_other_files(std::string_view bytes, std::string_view text) {
  struct Begin {
    std::string_view bytes, what;
  };
  constexpr std::array<Begin, 3> kBegins{
      {{"PK\x03\x04", "a spreadsheet"}, {"\xD0\xCF\x11\xE0", "a spreadsheet"}, {"%PDF-", "a PDF"}}};
  const auto refuse = [](std::string_view what) {
    throw StatementRefused("the statement is " + std::string(what) + ": export it as CSV or OFX");
  };
  for (const auto& [begin, what] : kBegins)
    if (bytes.starts_with(begin)) refuse(what);
  for (const std::string_view tag : {"<!DOCTYPE html", "<html", "<table"})
    if (equal_without_case(trimmed(text).substr(0, tag.size()), tag)) refuse("a web page");
}

}  // namespace

Statement read_statement(std::string_view bytes, StatementFormat format, const TimeZone& zone) {
  const auto text = text_of_file(bytes);
  refuse_other_files(bytes, text);
  switch (format) {
    case StatementFormat::kCsv:
      break;
    case StatementFormat::kOfx:
      return read_ofx_statement(text, zone);
    case StatementFormat::kPixJson:
      return read_pix_json_statement(text, zone);
  }
  return read_csv_statement(text, zone);
}

}  // namespace pixledger::stores
