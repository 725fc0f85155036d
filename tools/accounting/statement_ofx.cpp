#include <algorithm>
#include <charconv>

#include "domain/aggregates/project.h"
#include "domain/text/ascii.h"
#include "eventstore/process/options.h"
#include "tools/accounting/statement_formats.h"

// OFX, as banks write it: SGML without closing tags (1.x) or XML (2.x). Of it all only the STMTTRN aggregates
// are read, each as elements `<NAME>value`, where a value ends with the line or the next tag. In which field
// a bank puts the end-to-end id, nobody has agreed; it is known by its form.
namespace pixledger::tools {
namespace {

using eventstore::UsageError;

constexpr std::string_view kBegin = "<STMTTRN>";
constexpr std::size_t kEndToEndIdSize = 32;

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Of the first element of that name; empty where there is none.
std::string_view value_of(std::string_view transaction, std::string_view name) {
  const auto tag = '<' + std::string(name) + '>';
  const auto at = transaction.find(tag);
  if (at == std::string_view::npos) return {};
  const auto value = transaction.substr(at + tag.size());
  return trimmed(value.substr(0, value.find_first_of("<\n")));
}

std::optional<domain::EndToEndId> id_in(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), domain::is_ascii_alnum);
    const auto word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    if (word.size() == kEndToEndIdSize) {
      auto id = domain::EndToEndId::parse(word);
      if (id && id->has_usual_form()) return id;  // a memo may hold a txid, too
    }
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return std::nullopt;
}

std::optional<domain::EndToEndId> id_of(std::string_view transaction) {
  for (const auto* name : {"FITID", "REFNUM", "MEMO"}) {
    if (auto id = id_in(value_of(transaction, name))) return id;
  }
  return std::nullopt;
}

// Local time, of which the zone tells when that was.
domain::Timestamp in_zone(domain::Timestamp local, const eventstore::TimeZone& zone) {
  const auto about = local.plus_millis(-zone.offset_s(local) * 1000);
  return local.plus_millis(-zone.offset_s(about) * 1000);
}

// "-3:BRT", "-03", "5.5": hours ahead of UTC, in milliseconds.
std::optional<std::int64_t> parse_offset(std::string_view text) {
  auto hours = parse_reais(text.substr(0, text.find(':')));
  if (!hours || *hours < -1400 || *hours > 1400) return std::nullopt;
  return *hours * 36'000;
}

// "20260131", "20260131120000", "20260131120000.000[-3:BRT]".
std::optional<domain::Timestamp> parse_time(std::string_view text, const eventstore::TimeZone& zone) {
  const auto bracket = std::min(text.find('['), text.size());
  const auto digits = text.substr(0, std::min(text.find('.'), bracket));
  if ((digits.size() != 8 && digits.size() != 14) ||
      !std::all_of(digits.begin(), digits.end(), domain::is_ascii_digit))
    return std::nullopt;
  const auto clock = digits.size() == 8 ? std::string("000000") : std::string(digits.substr(8));
  const auto local =
      domain::parse_iso8601(std::string(digits.substr(0, 4)) + '-' + std::string(digits.substr(4, 2)) + '-' +
                            std::string(digits.substr(6, 2)) + 'T' + clock.substr(0, 2) + ':' +
                            clock.substr(2, 2) + ':' + clock.substr(4, 2) + 'Z');
  if (!local) return std::nullopt;
  if (bracket == text.size()) return in_zone(*local, zone);
  const auto offset_ms = parse_offset(text.substr(bracket + 1, text.find(']') - bracket - 1));
  if (!offset_ms) return std::nullopt;
  return local->plus_millis(-*offset_ms);
}

// nullopt for what is no payment to the account, or has no end-to-end id.
std::optional<StatementLine> read_transaction(std::size_t line, std::string_view transaction,
                                              const eventstore::TimeZone& zone) {
  const auto amount = parse_reais(value_of(transaction, "TRNAMT"));
  if (!amount) refuse_line(line, "TRNAMT must be an amount in reais, such as 19.90");
  auto id = id_of(transaction);
  if (*amount <= 0 || !id) return std::nullopt;
  if (*amount > domain::kAmountCentsMax) refuse_line(line, "TRNAMT is above what a payment can have");
  const auto paid_at = parse_time(value_of(transaction, "DTPOSTED"), zone);
  if (!paid_at) refuse_line(line, "DTPOSTED must be a time, such as 20260131120000[-3:BRT]");
  return StatementLine{line, *std::move(id), domain::Cents(*amount), *paid_at, {}};
}

}  // namespace

Statement read_ofx_statement(std::string_view text, const eventstore::TimeZone& zone) {
  if (text.find("<OFX>") == std::string_view::npos)
    throw UsageError("the statement is not OFX: it has no <OFX>");
  Statement statement;
  std::size_t line = 1;
  std::size_t counted = 0;
  for (auto at = text.find(kBegin); at != std::string_view::npos;) {
    const auto next = text.find(kBegin, at + kBegin.size());
    const auto whole = text.substr(at, next == std::string_view::npos ? next : next - at);
    const auto end = std::min(whole.find("</STMTTRN>"), whole.find("</BANKTRANLIST>"));
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    if (auto read = read_transaction(line, whole.substr(0, end), zone)) {
      statement.lines.push_back(*std::move(read));
    } else {
      ++statement.ignored;
    }
    at = next;
  }
  return statement;
}

}  // namespace pixledger::tools
