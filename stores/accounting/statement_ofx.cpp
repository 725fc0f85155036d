#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

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

constexpr auto kNowhere = std::string_view::npos;

struct Tag {
  std::size_t begin = kNowhere;
  std::size_t end = kNowhere;  // behind it

  bool is_there() const { return begin != kNowhere; }
};

// Where a tag such as STMTTRN or /STMTTRN is, from a place on, also with blanks or attributes in it.
Tag find_tag(std::string_view text, std::string_view name, std::size_t from = 0) {
  constexpr std::string_view kBlanks = " \t\r\n";
  for (auto at = text.find('<', from); at != kNowhere; at = text.find('<', at + 1)) {
    const auto begin = std::min(text.find_first_not_of(kBlanks, at + 1), text.size());
    if (!equal_without_case(text.substr(begin, name.size()), name)) continue;
    const auto behind = begin + name.size();
    const bool ends = behind == text.size() || text[behind] == '>' || text[behind] == '/' ||
                      kBlanks.find(text[behind]) != kNowhere;
    if (ends) return {at, std::min(text.find('>', behind), text.size() - 1) + 1};
  }
  return {};
}

// The character that a reference names: "amp", "#231", "#xE7", "ccedil"; letters with a mark as two.
std::optional<std::string> character_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames{
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", " "}}};
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 7> kMarks{{{"grave", 0x300},
                                                                              {"acute", 0x301},
                                                                              {"circ", 0x302},
                                                                              {"tilde", 0x303},
                                                                              {"uml", 0x308},
                                                                              {"ring", 0x30A},
                                                                              {"cedil", 0x327}}};
  for (const auto& [known, character] : kNames)
    if (name == known) return std::string(character);
  std::string text;
  if (name.starts_with('#')) {
    const bool is_hex = name.substr(1).starts_with('x') || name.substr(1).starts_with('X');
    const auto digits = name.substr(is_hex ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
    const bool is_code = error == std::errc() && end == digits.data() + digits.size() && code >= 0x20 &&
                         code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    if (!is_code) return std::nullopt;
    append_character(text, code);
    return text;
  }
  for (const auto& [mark, code] : kMarks)
    if (name.size() == mark.size() + 1 && is_ascii_alnum(name.front()) && name.substr(1) == mark) {
      text = name.front();
      append_character(text, code);
      return text;
    }
  return std::nullopt;
}

// With the characters that references stand for.
std::string without_references(std::string_view text) {
  constexpr std::size_t kNameSizeMax = 10;
  std::string plain;
  while (!text.empty()) {
    const auto end = text.front() == '&' ? text.substr(0, kNameSizeMax + 2).find(';') : kNowhere;
    const auto character = end == kNowhere ? std::nullopt : character_of(text.substr(1, end - 1));
    if (character)
      plain += *character;
    else
      plain += text.front();
    text.remove_prefix(character ? end + 1 : 1);
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
    // Without attributes.
    const auto tag = trimmed(transaction.substr(at + 1, end - at - 1));
    for (const char c : tag.substr(0, tag.find_first_of(" \t\r\n"))) element.name += to_ascii_upper(c);
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
      element.value = without_references(trimmed(value));
      // Some write "&amp;ccedil;".
      if (element.value.find('&') != std::string::npos) element.value = without_references(element.value);
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

// Some banks write no sign, and the kind says which way it went. What the standard has of payments, fees and
// the like goes, but some banks call so what they call received in the text.
Way way_of_kind(std::string_view kind, const std::vector<std::string>& texts) {
  constexpr std::array<std::string_view, 9> kGoing{"payment", "check", "fee",       "srvchg",   "atm",
                                                   "pos",     "cash",  "repeatpmt", "pagamento"};
  const auto way = way_of(kind);
  if (way != Way::kUnsaid || std::find(kGoing.begin(), kGoing.end(), words_of(kind)) == kGoing.end())
    return way;
  const bool is_received = std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    return has_words(text, "recebido") || has_words(text, "recebida") || has_words(text, "recebimento");
  });
  return is_received ? Way::kUnsaid : Way::kWent;
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
  const bool may_matter = matters || !is_beside_payments(entry.texts);
  if (bad && may_matter) refuse_line(line, "TRNAMT " + std::string(rule_of(*bad)), entry.text);
  if (!bad && !time && may_matter)
    refuse_line(line, "DTPOSTED " + std::string(kStatementTimeRule), entry.text);
  if (bad || !time) return std::nullopt;
  entry.cents = std::get<std::int64_t>(amount);
  entry.way = way_of_kind(value_of(elements, "TRNTYPE"), entry.texts);
  entry.time = *time;
  return entry;
}

// The days that its lists say they have all of. As they are written: a time and zone beside them are as often
// the bank's own as the account's.
std::vector<StatementWindow> windows_of(std::string_view text, const TimeZone& zone) {
  constexpr std::string_view kFrom = "DTSTART", kTo = "DTEND";
  constexpr std::size_t kDaySize = 8;
  const auto day_at = [&](std::size_t at) -> std::optional<std::int64_t> {
    const auto value = trimmed(text.substr(at, text.find('<', at) - at));
    const auto time = parse_statement_time(value.substr(0, kDaySize), zone);
    return time && value.size() >= kDaySize ? std::optional(zone.day_of(time->moment)) : std::nullopt;
  };
  std::vector<StatementWindow> windows;
  for (auto from = find_tag(text, kFrom); from.is_there(); from = find_tag(text, kFrom, from.end)) {
    const auto to = find_tag(text, kTo, from.end);
    if (!to.is_there() || find_tag(text, kFrom, from.end).begin < to.begin) continue;
    const auto first = day_at(from.end), last = day_at(to.end);
    if (first && last && *first <= *last)
      windows.push_back({.from = zone.begin_of(*first), .until = zone.begin_of(*last + 1)});
  }
  return windows;
}

std::size_t line_at(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Each of these aggregates has its own end, before the next one begins.
void require_ends(std::string_view text, const std::string& name) {
  for (auto tag = find_tag(text, name); tag.is_there();) {
    const auto next = find_tag(text, name, tag.end);
    const auto end = find_tag(text, "/" + name, tag.end);
    const bool is_empty = text.substr(tag.begin, tag.end - tag.begin).ends_with("/>");
    if (!is_empty && (!end.is_there() || end.begin > next.begin))
      refuse_line(line_at(text, tag.begin), "has no </" + name + ">: a part of it is missing. Fetch it again",
                  text.substr(tag.begin, tag.end - tag.begin));
    tag = next;
  }
}

void require_whole(std::string_view text) {
  const bool has_end = find_tag(text, "/OFX").is_there();
  if (!has_end && !find_tag(text, "/BANKTRANLIST").is_there())
    throw StatementRefused(
        "the statement ends before </BANKTRANLIST>: a part of it is missing. Fetch it again");
  require_ends(text, "BANKTRANLIST");
  // Some banks leave out the last end.
  if (has_end) return require_ends(text, "OFX");
  for (const auto* name : {"STMTRS", "CCSTMTRS", "STMTTRNRS", "CCSTMTTRNRS"}) require_ends(text, name);
}

// A bank that answers with an error has not told that there is nothing.
void refuse_error(std::string_view text) {
  constexpr std::size_t kErrorCodeSize = 4;
  for (auto tag = find_tag(text, "STATUS"); tag.is_there(); tag = find_tag(text, "STATUS", tag.end)) {
    const auto end =
        std::min(find_tag(text, "/STATUS", tag.end).begin, find_tag(text, "STMTRS", tag.end).begin);
    const auto status = text.substr(tag.begin, end - tag.begin);
    const auto elements = elements_of(status);
    const auto severity = value_of(elements, "SEVERITY"), code = value_of(elements, "CODE");
    const bool is_error = severity.empty() ? all_ascii_digits(code) && code.size() >= kErrorCodeSize
                                           : equal_without_case(severity, "ERROR");
    if (is_error)
      refuse_line(line_at(text, tag.begin),
                  "the bank answers with an error in place of the account's entries, so that nothing can be "
                  "compared. Fetch it again",
                  status);
  }
}

}  // namespace

Statement read_ofx_statement(std::string_view text, const TimeZone& zone) {
  if (!find_tag(text, "OFX").is_there()) throw StatementRefused("the statement is not OFX: it has no <OFX>");
  require_whole(text);
  refuse_error(text);
  StatementEntries entries(StatementFormat::kOfx);
  entries.has_debits();
  std::size_t line = 1;
  std::size_t counted = 0;
  for (auto tag = find_tag(text, "STMTTRN"); tag.is_there();) {
    const auto next = find_tag(text, "STMTTRN", tag.end);
    const auto whole = text.substr(tag.begin, next.is_there() ? next.begin - tag.begin : kNowhere);
    const auto end = std::min(find_tag(whole, "/STMTTRN").begin, find_tag(whole, "/BANKTRANLIST").begin);
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                text.begin() + static_cast<std::ptrdiff_t>(tag.begin), '\n'));
    counted = tag.begin;
    if (const auto entry = read_transaction(line, whole.substr(0, end), zone))
      entries.add(*entry);
    else
      entries.ignore();
    tag = next;
  }
  auto statement = entries.finish();
  statement.windows = windows_of(text, zone);
  return statement;
}

}  // namespace pixledger::stores
