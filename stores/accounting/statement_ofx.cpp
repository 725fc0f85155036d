#include <algorithm>
#include <array>

#include "base/text/ascii.h"
#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_text.h"

// OFX, as banks write it: SGML without closing tags (1.x) or XML (2.x), on many lines or on one, tags in any
// case. Of it all only the STMTTRN aggregates are read, each as elements `<NAME>value`, where a value ends
// with the line or the next tag. In which field a bank puts the end-to-end id, nobody has agreed; it is known
// by its form.
namespace pixledger::stores {
namespace {

constexpr std::array<std::string_view, 3> kNoText{"TRNAMT", "DTPOSTED", "TRNTYPE"};

// Where a tag such as "<STMTTRN>" begins, from a place on; npos: nowhere.
std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from = 0) {
  for (auto at = text.find('<', from); at != std::string_view::npos; at = text.find('<', at + 1))
    if (equal_without_case(text.substr(at, tag.size()), tag)) return at;
  return std::string_view::npos;
}

// What XML writes for characters that it cannot have.
std::string without_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEntities{
      {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&nbsp;", " "}}};
  std::string plain;
  while (!text.empty()) {
    const auto found = std::find_if(kEntities.begin(), kEntities.end(),
                                    [text](const auto& entity) { return text.starts_with(entity.first); });
    plain += found == kEntities.end() ? text.substr(0, 1) : found->second;
    text.remove_prefix(found == kEntities.end() ? 1 : found->first.size());
  }
  return plain;
}

struct Element {
  std::string name;  // in capitals
  std::string value;
};

std::vector<Element> elements_of(std::string_view transaction) {
  constexpr std::string_view kVerbatim = "<![CDATA[";
  std::vector<Element> elements;
  for (auto at = transaction.find('<'); at != std::string_view::npos; at = transaction.find('<', at)) {
    const auto end = transaction.find('>', at);
    if (end == std::string_view::npos) break;
    Element element;
    for (const char c : trimmed(transaction.substr(at + 1, end - at - 1))) element.name += to_ascii_upper(c);
    auto value = transaction.substr(end + 1);
    at = end + 1;
    if (element.name.empty() || element.name.front() == '/') continue;
    if (trimmed(value).starts_with(kVerbatim)) {
      const auto begin = value.find(kVerbatim) + kVerbatim.size();
      value = value.substr(begin, value.find("]]>") - begin);
      at = static_cast<std::size_t>(value.data() - transaction.data()) + value.size();
      element.value = std::string(trimmed(value));
    } else {
      value = value.substr(0, value.find('<'));
      // Some banks put a value on the line after its tag, or break it.
      element.value = without_entities(trimmed(value));
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

std::string_view value_of(const std::vector<Element>& elements, std::string_view name) {
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [name](const Element& element) { return element.name == name; });
  return found == elements.end() ? std::string_view() : std::string_view(found->value);
}

// What it says, without who paid: that stands in NAME where a MEMO says what it is.
std::vector<std::string> texts_of_elements(const std::vector<Element>& elements) {
  const bool has_memo = !value_of(elements, "MEMO").empty();
  std::vector<std::string> texts;
  for (const auto& [name, value] : elements) {
    const bool is_text = std::find(kNoText.begin(), kNoText.end(), name) == kNoText.end();
    if (is_text && !(has_memo && name == "NAME")) texts.push_back(words_of(value));
  }
  return texts;
}

template <class Find>
auto first_in(const std::vector<Element>& elements, Find find) {
  decltype(find(std::string_view())) found{};
  for (const auto& [name, value] : elements) {
    if (std::find(kNoText.begin(), kNoText.end(), name) != kNoText.end()) continue;
    found = find(value);
    if (found != decltype(found){}) break;
  }
  return found;
}

// nullopt for what cannot be read and is no payment either.
std::optional<StatementEntry> read_transaction(std::size_t line, std::string_view transaction,
                                               const TimeZone& zone) {
  const auto elements = elements_of(transaction);
  StatementEntry entry{.line = line,
                       .text = trimmed(transaction),
                       .end_to_end_id = first_in(elements, end_to_end_id_in),
                       .return_id = first_in(elements, return_id_in),
                       .txid = first_in(elements, charge_txid_in),
                       .texts = texts_of_elements(elements)};
  const auto says_pix = [](const std::string& text) { return has_words(text, "pix"); };
  const bool is_of_pix = std::any_of(entry.texts.begin(), entry.texts.end(), says_pix);
  const bool matters = entry.end_to_end_id || !entry.return_id.empty() || !entry.txid.empty() ||
                       (is_of_pix && !is_beside_payments(entry.texts));
  const auto amount = parse_amount(value_of(elements, "TRNAMT"));
  const auto time = parse_statement_time(value_of(elements, "DTPOSTED"), zone);
  const auto* bad = std::get_if<BadAmount>(&amount);
  const bool may_matter =
      matters || (bad && *bad == BadAmount::kAmbiguous && !is_beside_payments(entry.texts));
  if (bad && may_matter) refuse_line(line, "TRNAMT " + std::string(rule_of(*bad)), entry.text);
  if (!bad && !time && matters) refuse_line(line, "DTPOSTED " + std::string(kStatementTimeRule), entry.text);
  if (bad || !time) return std::nullopt;
  entry.cents = std::get<std::int64_t>(amount);
  // Some banks write no sign, and the kind says which way it went.
  const auto kind = words_of(value_of(elements, "TRNTYPE"));
  if (entry.cents > 0 && (kind == "debit" || kind == "d")) entry.cents = -entry.cents;
  entry.time = *time;
  return entry;
}

// The days that its lists say they have all of. As they are written: a time and zone beside them are as often
// the bank's own as the account's.
std::vector<StatementWindow> windows_of(std::string_view text, const TimeZone& zone) {
  constexpr std::string_view kFrom = "<DTSTART>", kTo = "<DTEND>";
  constexpr std::size_t kDaySize = 8;
  const auto day_at = [&](std::size_t at) -> std::optional<std::int64_t> {
    const auto value = trimmed(text.substr(at, text.find('<', at) - at));
    const auto time = parse_statement_time(value.substr(0, kDaySize), zone);
    return time && value.size() >= kDaySize ? std::optional(zone.day_of(time->moment)) : std::nullopt;
  };
  std::vector<StatementWindow> windows;
  for (auto at = find_tag(text, kFrom); at != std::string_view::npos; at = find_tag(text, kFrom, at + 1)) {
    const auto end = find_tag(text, kTo, at);
    if (end == std::string_view::npos || find_tag(text, kFrom, at + 1) < end) continue;
    const auto first = day_at(at + kFrom.size()), last = day_at(end + kTo.size());
    if (first && last && *first <= *last)
      windows.push_back({.from = zone.begin_of(*first), .until = zone.begin_of(*last + 1)});
  }
  return windows;
}

}  // namespace

Statement read_ofx_statement(std::string_view text, const TimeZone& zone) {
  if (find_tag(text, "<OFX>") == std::string_view::npos)
    throw StatementRefused("the statement is not OFX: it has no <OFX>");
  constexpr auto kNowhere = std::string_view::npos;
  if (find_tag(text, "</OFX>") == kNowhere && find_tag(text, "</BANKTRANLIST>") == kNowhere)
    throw StatementRefused(
        "the statement ends before </BANKTRANLIST>: a part of it is missing. Fetch it again");
  StatementEntries entries(StatementFormat::kOfx);
  entries.has_debits();
  std::size_t line = 1;
  std::size_t counted = 0;
  for (auto at = find_tag(text, "<STMTTRN>"); at != kNowhere;) {
    const auto next = find_tag(text, "<STMTTRN>", at + 1);
    const auto whole = text.substr(at, next == kNowhere ? next : next - at);
    const auto end = std::min(find_tag(whole, "</STMTTRN>"), find_tag(whole, "</BANKTRANLIST>"));
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    if (const auto entry = read_transaction(line, whole.substr(0, end), zone))
      entries.add(*entry);
    else
      entries.ignore();
    at = next;
  }
  auto statement = entries.finish();
  statement.windows = windows_of(text, zone);
  return statement;
}

}  // namespace pixledger::stores
