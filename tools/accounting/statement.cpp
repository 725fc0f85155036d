#include "tools/accounting/statement.h"

#include <algorithm>
#include <charconv>

#include "domain/aggregates/project.h"
#include "eventstore/process/options.h"
#include "tools/accounting/csv_reader.h"
#include "tools/accounting/statement_formats.h"
#include "tools/cli/bounded_read.h"

namespace pixledger::tools {
namespace {

using eventstore::UsageError;
using Cells = std::vector<std::string>;

constexpr std::size_t kAbsent = SIZE_MAX;
constexpr std::size_t kStatementBytesMax = 256U << 20U;

struct Places {
  std::size_t end_to_end_id, amount, paid_at, txid;
};

std::size_t place_of(const Cells& heading, std::string_view name) {
  const auto found = std::find(heading.begin(), heading.end(), name);
  return found == heading.end() ? kAbsent : static_cast<std::size_t>(found - heading.begin());
}

Places read_heading(CsvReader& reader) {
  const auto heading = reader.next();
  if (!heading) throw UsageError("the statement is empty; its first line names the columns");
  const Places places{place_of(*heading, "endToEndId"), place_of(*heading, "amountCents"),
                      place_of(*heading, "paidAt"), place_of(*heading, "txid")};
  if (places.end_to_end_id == kAbsent || places.amount == kAbsent || places.paid_at == kAbsent)
    refuse_line(reader.line(),
                "must name the columns endToEndId, amountCents and paidAt, separated by , or ;");
  return places;
}

domain::Cents read_amount(std::size_t line, const std::string& text) {
  std::int64_t cents = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cents);
  if (error != std::errc() || end != text.data() + text.size() || cents < 1 ||
      cents > domain::kAmountCentsMax)
    refuse_line(line, "amountCents must be an integer from 1 to " + std::to_string(domain::kAmountCentsMax));
  return domain::Cents(cents);
}

StatementLine read_line(std::size_t line, const Places& places, const Cells& cells) {
  const auto cell = [&](std::size_t place) {
    if (place < cells.size()) return cells[place];
    return std::string();
  };
  const auto id = domain::EndToEndId::parse(cell(places.end_to_end_id));
  if (!id) refuse_line(line, "endToEndId " + std::string(domain::EndToEndId::kRule));
  const auto paid_at = domain::parse_iso8601(cell(places.paid_at));
  if (!paid_at) refuse_line(line, "paidAt must be a time such as 2026-01-31T12:00:00Z");
  return {line, *id, read_amount(line, cell(places.amount)), *paid_at,
          places.txid == kAbsent ? std::string() : cell(places.txid)};
}

std::string read_all(std::istream& in) {
  auto text = read_at_most(in, kStatementBytesMax);
  if (!text)
    throw UsageError("the statement is larger than " + std::to_string(kStatementBytesMax >> 20U) + " MiB");
  return *std::move(text);
}

}  // namespace

void refuse_line(std::size_t line, const std::string& problem) {
  throw UsageError("the statement's line " + std::to_string(line) + ": " + problem);
}

std::optional<std::int64_t> parse_reais(std::string_view text) {
  const bool is_negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const auto point = std::min(text.find_first_of(".,"), text.size());
  auto cents = std::string(text.substr(point).substr(point < text.size() ? 1 : 0));
  if (point == 0 || (point < text.size() && (cents.empty() || cents.size() > 2))) return std::nullopt;
  cents.resize(2, '0');
  const auto digits = std::string(text.substr(0, point)) + cents;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '-')
    return std::nullopt;
  return is_negative ? -number : number;
}

Statement read_csv_statement(std::istream& in) {
  try {
    CsvReader reader(in);
    const auto places = read_heading(reader);
    Statement statement;
    while (const auto cells = reader.next())
      statement.lines.push_back(read_line(reader.line(), places, *cells));
    return statement;
  } catch (const CsvError& error) {
    throw UsageError(std::string("the statement is not CSV: ") + error.what());
  }
}

std::optional<StatementFormat> parse_statement_format(std::string_view name) {
  if (name == "csv") return StatementFormat::kCsv;
  if (name == "ofx") return StatementFormat::kOfx;
  if (name == "pix-json") return StatementFormat::kPixJson;
  return std::nullopt;
}

Statement read_statement(std::istream& in, StatementFormat format, const eventstore::TimeZone& zone) {
  switch (format) {
    case StatementFormat::kCsv:
      break;
    case StatementFormat::kOfx:
      return read_ofx_statement(read_all(in), zone);
    case StatementFormat::kPixJson:
      return read_pix_json_statement(read_all(in));
  }
  return read_csv_statement(in);
}

}  // namespace pixledger::tools
