#include "tools/audit/statement.h"

#include <algorithm>
#include <charconv>

#include "domain/aggregates/project.h"
#include "eventstore/process/options.h"
#include "tools/audit/csv_reader.h"

namespace pixledger::tools {
namespace {

using eventstore::UsageError;
using Cells = std::vector<std::string>;

constexpr std::size_t kAbsent = SIZE_MAX;

struct Places {
  std::size_t end_to_end_id, amount, paid_at, txid;
};

[[noreturn]] void refuse(std::size_t line, const std::string& problem) {
  throw UsageError("the statement's line " + std::to_string(line) + ": " + problem);
}

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
    refuse(reader.line(), "must name the columns endToEndId, amountCents and paidAt");
  return places;
}

domain::Cents read_amount(std::size_t line, const std::string& text) {
  std::int64_t cents = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cents);
  if (error != std::errc() || end != text.data() + text.size() || cents < 1 ||
      cents > domain::kAmountCentsMax)
    refuse(line, "amountCents must be an integer from 1 to " + std::to_string(domain::kAmountCentsMax));
  return domain::Cents(cents);
}

StatementLine read_line(std::size_t line, const Places& places, const Cells& cells) {
  const auto cell = [&](std::size_t place) {
    if (place < cells.size()) return cells[place];
    return std::string();
  };
  const auto id = domain::EndToEndId::parse(cell(places.end_to_end_id));
  if (!id) refuse(line, "endToEndId " + std::string(domain::EndToEndId::kRule));
  const auto paid_at = domain::parse_iso8601(cell(places.paid_at));
  if (!paid_at) refuse(line, "paidAt must be a time such as 2026-01-31T12:00:00Z");
  return {line, *id, read_amount(line, cell(places.amount)), *paid_at,
          places.txid == kAbsent ? std::string() : cell(places.txid)};
}

}  // namespace

std::vector<StatementLine> read_statement(std::istream& in) {
  try {
    CsvReader reader(in);
    const auto places = read_heading(reader);
    std::vector<StatementLine> lines;
    while (const auto cells = reader.next()) lines.push_back(read_line(reader.line(), places, *cells));
    return lines;
  } catch (const CsvError& error) {
    throw UsageError(std::string("the statement is not CSV: ") + error.what());
  }
}

}  // namespace pixledger::tools
