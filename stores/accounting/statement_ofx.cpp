#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/ascii.h"
#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"

// OFX, as banks write it: SGML without closing tags (1.x) or XML (2.x), on one line or many, tags in any
// case. Only STMTTRN aggregates are read, as elements `<NAME>value`, where a value ends with the line or the
// next tag. Banks put the end-to-end id in different fields; it is recognised by its form.
namespace pixledger::stores {
namespace {

constexpr std::array<std::string_view, 3> kNoText{"TRNAMT", "DTPOSTED", "TRNTYPE"};

constexpr auto kNowhere = std::string_view::npos;
constexpr std::string_view kBlanks = " \t\r\n";

// Returns the character of a reference: "amp", "#231", "#xE7"; of "ccedil" only its letter, as accents do not
// matter.
std::optional<std::string> character_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames{
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", " "}}};
  constexpr std::array<std::string_view, 6> kMarks{"grave", "acute", "circ", "tilde", "uml", "cedil"};
  for (const auto& [known, character] : kNames)
    if (name == known) return std::string(character);
  if (!name.starts_with('#')) {
    const bool has_mark =
        !name.empty() && std::find(kMarks.begin(), kMarks.end(), name.substr(1)) != kMarks.end();
    return has_mark ? std::optional(std::string(1, name.front())) : std::nullopt;
  }
  const bool is_hex = name.size() > 1 && to_ascii_lower(name[1]) == 'x';
  const auto digits = name.substr(is_hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
  const bool is_code = error == std::errc() && end == digits.data() + digits.size() && code >= 0x20 &&
                       code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  if (!is_code) return std::nullopt;
  std::string text;
  append_character(text, code);
  return text;
}

// Replaces references by their characters.
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

// Reads the tags of a text one after the other, each character a bounded number of times.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text) {}

  // Returns false at the end.
  bool next() {
    for (auto at = text_.find('<', end_); at != kNowhere; at = text_.find('<', at + 1)) {
      const auto end = std::min(text_.find_first_of("<>", at + 1), text_.size());
      const bool is_closed = end < text_.size() && text_[end] == '>';
      auto inside = text_.substr(at + 1, end - at - 1);
      inside.remove_prefix(std::min(inside.find_first_not_of(kBlanks), inside.size()));
      const bool is_end = inside.starts_with('/');
      if (is_end) inside.remove_prefix(1);
      const auto name = inside.substr(0, inside.find_first_of(" \t\r\n/"));
      if (name.empty() || name.size() > kNameSizeMax) continue;
      line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(begin_),
                                                   text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      begin_ = at;
      end_ = end + (is_closed ? 1 : 0);
      name_ = is_end ? "/" : "";
      for (const char c : name) name_ += to_ascii_upper(c);
      is_empty_ = inside.ends_with('/');
      return true;
    }
    return false;
  }
  // In capitals; an end tag includes its "/".
  const std::string& name() const { return name_; }
  std::size_t line() const { return line_; }
  std::size_t begin() const { return begin_; }
  bool is_empty() const { return is_empty_; }

  // The text after it, up to the next tag. Some banks put it on the next line.
  std::string take_value() {
    constexpr std::string_view kVerbatim = "<![CDATA[", kVerbatimEnd = "]]>";
    const auto begin = std::min(text_.find_first_not_of(kBlanks, end_), text_.size());
    const auto rest = text_.substr(begin);
    if (rest.starts_with(kVerbatim)) {
      const auto end = std::min(rest.find(kVerbatimEnd), rest.size());
      end_ = std::min(begin + end + kVerbatimEnd.size(), text_.size());
      return std::string(trimmed(rest.substr(kVerbatim.size(), end - kVerbatim.size())));
    }
    auto value = without_references(trimmed(rest.substr(0, rest.find('<'))));
    // Some banks write "&amp;ccedil;".
    return value.find('&') == kNowhere ? value : without_references(value);
  }

 private:
  static constexpr std::size_t kNameSizeMax = 64;

  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0;  // of the last tag
  std::size_t line_ = 1;
  std::string name_;
  bool is_empty_ = false;
};

struct Element {
  std::string name;  // in capitals
  std::string value;
};

std::string_view value_of(const std::vector<Element>& elements, std::string_view name) {
  const auto found = std::find_if(elements.begin(), elements.end(),
                                  [name](const Element& element) { return element.name == name; });
  return found == elements.end() ? std::string_view() : std::string_view(found->value);
}

// The description without the payer, who stands in NAME if a MEMO describes the entry. Banco do Brasil does
// the reverse: "Pix - Recebido" is the NAME, and the payer the MEMO.
std::vector<std::string> texts_of_elements(const std::vector<Element>& elements) {
  const auto memo = value_of(elements, "MEMO");
  const bool has_memo = !memo.empty() && (say_pix({entry_words_of(memo)}) ||
                                          !say_pix({entry_words_of(value_of(elements, "NAME"))}));
  std::vector<std::string> texts;
  for (const auto& [name, value] : elements) {
    const bool is_text = std::find(kNoText.begin(), kNoText.end(), name) == kNoText.end();
    if (is_text && !(has_memo && name == "NAME")) texts.push_back(entry_words_of(value));
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

// In the standard payments, fees and the like are debits, but some banks use these kinds for credits.
Way guess_of_kind(std::string_view kind, const StatementEntry& entry, bool has_name) {
  constexpr std::array<std::string_view, 9> kGoing{"payment", "check", "fee",       "srvchg",   "atm",
                                                   "pos",     "cash",  "repeatpmt", "pagamento"};
  constexpr std::array<std::string_view, 4> kCame{"rec", "cred", "credito", "credit"};
  if (std::find(kGoing.begin(), kGoing.end(), words_of(kind)) == kGoing.end()) return Way::kUnsaid;
  const auto says_came = [&kCame](std::string_view text) {
    return text.starts_with("receb") || text.find(" receb") != kNowhere ||
           std::any_of(kCame.begin(), kCame.end(),
                       [text](std::string_view word) { return has_words(text, word); });
  };
  const bool came = std::any_of(entry.texts.begin(), entry.texts.end(), says_came);
  return say_sent(entry.texts) || (!has_name && !came) ? Way::kWent : Way::kUnsaid;
}

class OfxStatement {
 public:
  OfxStatement(std::string_view text, const TimeZone& zone) : text_(text), zone_(zone), tags_(text) {
    entries_.has_debits();
  }

  Statement read() {
    while (tags_.next()) take_tag();
    finish_transaction(text_.size(), Next::kNone);
    end_status();
    if (!has_begin_) throw StatementRefused("the statement is not OFX: it has no <OFX>");
    if (!has_end_ && !has_list_end_)
      throw StatementRefused(
          "the statement ends before </BANKTRANLIST>: a part of it is missing. Fetch it again");
    if (list_line_ != 0) refuse_open("BANKTRANLIST", list_line_);
    if (statement_line_ != 0 && is_open_) refuse_open("STMTRS", statement_line_);
    // Some banks leave out the last end of one alone.
    if (is_open_ && has_end_) refuse_open("OFX", line_);
    if (error_.line != 0 && (error_.is_severe || count_ == 0))
      throw StatementRefused("the statement's line " + std::to_string(error_.line) +
                                 ": the bank answers with an error" + error_.code_text() +
                                 ", so that nothing can be compared. Fetch it again",
                             error_.message.empty() ? std::string() : shown(error_.message));
    if (error_.line != 0)
      entries_.warn(error_.line, "the bank states an error beside the entries" + error_.code_text());
    add_entries();
    auto statement = entries_.finish();
    statement.windows = std::move(windows_);
    return statement;
  }

 private:
  // A STATUS aggregate.
  struct Status {
    std::size_t line = 0;  // of the first element that states an error; 0: no error
    std::string code{}, message{};
    bool is_severe = false;  // by its SEVERITY

    std::string code_text() const { return code.empty() ? "" : " (CODE " + code + ")"; }
  };

  // It ends where another begins, or at the end of all.
  [[noreturn]] static void refuse_open(const std::string& name, std::size_t line) {
    throw StatementRefused("the statement's line " + std::to_string(line) + ": has no </" + name +
                           ">: a part of it is missing. Fetch it again");
  }

  void take_tag() {
    const auto& name = tags_.name();
    if (!has_begin_ && name != "OFX") return;
    if (name == "OFX") {
      if (list_line_ != 0) refuse_open("BANKTRANLIST", list_line_);
      has_begin_ = is_open_ = true;
      line_ = tags_.line();
    } else if (name == "/OFX") {
      end_list(false);
      statement_line_ = 0;
      has_end_ = true;
      is_open_ = false;
    } else if (name == "STMTRS" || name == "CCSTMTRS") {
      statement_line_ = tags_.line();
    } else if (name == "/STMTRS" || name == "/CCSTMTRS" || name == "LEDGERBAL") {
      end_list(false);
      statement_line_ = 0;
    } else if (name == "BANKTRANLIST") {
      if (list_line_ != 0) refuse_open("BANKTRANLIST", list_line_);
      statement_line_ = 0;
      if (tags_.is_empty())
        has_list_end_ = true;
      else
        list_line_ = tags_.line();
    } else if (name == "/BANKTRANLIST") {
      end_list(true);
      has_list_end_ = true;
    } else if (name == "STMTTRN") {
      finish_transaction(tags_.begin(), Next::kEntry);
      is_in_transaction_ = true;
      begin_ = tags_.begin();
      line_of_transaction_ = tags_.line();
    } else if (name == "/STMTTRN") {
      finish_transaction(tags_.begin(), Next::kOwnEnd);
    } else if (is_in_transaction_) {
      if (name.front() != '/' && elements_.size() < kElementsMax)
        elements_.push_back({name, tags_.take_value()});
    } else if (name == "DTSTART" || name == "DTEND") {
      take_day(name == "DTEND");
    } else if (name == "STATUS") {
      end_status();
    } else if (name == "CODE" || name == "SEVERITY" || name == "MESSAGE") {
      take_status(name);
    } else if (name == "CURDEF") {
      const auto currency = tags_.take_value();
      if (!is_real(currency))
        refuse_line(tags_.line(), "CURDEF must be BRL: other currencies are not compared", currency);
    }
  }

  // A code of 0 is success, and 1 says that there is nothing new.
  void take_status(const std::string& name) {
    const auto value = tags_.take_value();
    constexpr std::size_t kCodeSizeMax = 10;
    if (name == "MESSAGE") status_.message = value;
    const bool is_code = name == "CODE" && all_ascii_digits(value) && value.size() <= kCodeSizeMax;
    if (is_code) status_.code = value;
    const bool is_severe = name == "SEVERITY" && equal_without_case(value, "ERROR");
    const bool is_bad_code = is_code && value.find_first_not_of('0') != kNowhere && value != "1";
    if (status_.line == 0 && (is_severe || is_bad_code)) status_.line = tags_.line();
    status_.is_severe = status_.is_severe || is_severe;
  }
  void end_status() {
    const bool is_worse = status_.is_severe && !error_.is_severe;
    if (status_.line != 0 && (error_.line == 0 || is_worse)) error_ = status_;
    status_ = {};
  }

  // `has_end`: by its own tag, which some banks leave out.
  void end_list(bool has_end) {
    finish_transaction(tags_.begin(), Next::kNone);
    if (!has_end && list_line_ != 0)
      entries_.warn(list_line_, "has no </BANKTRANLIST>: a part of it may be missing");
    list_line_ = 0;
  }

  // The days that its lists claim to cover. Their times and zones are ignored: they are as often the bank's
  // as the account's.
  void take_day(bool is_last) {
    constexpr std::size_t kDaySize = 8;
    const auto value = tags_.take_value();
    const auto time = parse_statement_time(std::string_view(value).substr(0, kDaySize), zone_);
    const auto day =
        time && value.size() >= kDaySize ? std::optional(zone_.day_of(time->moment)) : std::nullopt;
    if (is_last && day && first_day_ && *first_day_ <= *day)
      windows_.push_back({.from = zone_.begin_of(*first_day_), .until = zone_.begin_of(*day + 1)});
    first_day_ = is_last ? std::nullopt : day;
  }

  // The text after an entry.
  enum class Next { kOwnEnd, kEntry, kNone };

  void finish_transaction(std::size_t end, Next next) {
    if (!is_in_transaction_) return;
    is_in_transaction_ = false;
    ++count_;
    add_transaction(trimmed(text_.substr(begin_, end - begin_)), next);
    elements_.clear();
  }

  void add_transaction(std::string_view text, Next next) {
    StatementEntry entry{.line = line_of_transaction_,
                         .text = text,
                         .end_to_end_id = first_in(elements_, end_to_end_id_in),
                         .return_id = first_in(elements_, return_id_in),
                         .txid = first_in(elements_, charge_txid_in),
                         .texts = texts_of_elements(elements_)};
    const bool has_name = entry.end_to_end_id || !entry.return_id.empty() || !entry.txid.empty();
    const bool is_beside = is_beside_payments(entry.texts);
    const bool matters = has_name || (may_say_pix(entry.texts) && !is_beside);
    const auto written = value_of(elements_, "TRNAMT");
    bool says_came = false;
    const auto amount = parse_amount(written, &says_came);
    const auto time = parse_statement_time(value_of(elements_, "DTPOSTED"), zone_);
    const auto* bad = std::get_if<BadAmount>(&amount);
    const bool has_amount = std::any_of(elements_.begin(), elements_.end(),
                                        [](const Element& element) { return element.name == "TRNAMT"; });
    const bool is_cut_off = !has_amount && next == Next::kNone;
    if (bad && (matters || (!is_beside && (is_cut_off || (has_amount && *bad == BadAmount::kAmbiguous)))))
      refuse_line(entry.line, "TRNAMT " + std::string(rule_of(*bad)), text);
    if (!bad && !time && matters)
      refuse_line(entry.line, "DTPOSTED " + std::string(kStatementTimeRule), text);
    if (bad || !time) {
      if (!is_beside && (!bad || !written.empty() || !has_amount))
        entries_.warn(entry.line, "its amount or day cannot be read: it is ignored");
      else if (bad && time && std::any_of(written.begin(), written.end(), is_ascii_digit))
        entries_.ignore_unread(entry.line);
      else if (const auto* cents = std::get_if<std::int64_t>(&amount); cents && *cents > 0)
        entries_.warn_ignored_pix(entry.line, entry.texts, says_came);
      return entries_.ignore();
    }
    const bool has_currency = std::any_of(elements_.begin(), elements_.end(),
                                          [](const Element& element) { return element.name == "CURRENCY"; });
    if (has_currency && !is_real(value_of(elements_, "CURSYM"))) {
      if (!matters) {
        entries_.warn(entry.line, "its amount or day cannot be read: it is ignored");
        return entries_.ignore();
      }
      refuse_line(entry.line, "CURSYM must be BRL: other currencies are not compared", text);
    }
    entry.cents = std::get<std::int64_t>(amount);
    // Some banks write no sign, and the kind states the direction.
    const auto kind = value_of(elements_, "TRNTYPE");
    if (entry.cents > 0) entry.way = says_came ? Way::kCame : way_of(kind);
    entry.guess = guess_of_kind(kind, entry, has_name);
    entry.is_kind_of_fee = words_of(kind) == "fee" || words_of(kind) == "srvchg";
    entry.time = *time;
    has_signs_ = has_signs_ || ((entry.cents < 0 || says_came) && !are_balance(entry.texts));
    found_.push_back(std::move(entry));
  }

  void add_entries() {
    entries_.set_signs(has_signs_);
    for (auto& entry : found_) {
      if (has_signs_) entry.guess = Way::kUnsaid;
      if (has_signs_ && entry.way == Way::kWent && entry.cents > 0 && say_received(entry.texts))
        entry.way = Way::kUnsaid;  // its sign and words contradict its kind
      if (entry.way == Way::kWent && entry.cents > 0 && !has_told_kind_) {
        entries_.warn(entry.line, "has no sign, and is taken as sent by its kind, as others may be");
        has_told_kind_ = true;
      }
      entries_.add(std::move(entry));
    }
  }

  static constexpr std::size_t kElementsMax = 200;

  std::string_view text_;
  const TimeZone& zone_;
  TagReader tags_;
  StatementEntries entries_{StatementFormat::kOfx};
  std::vector<StatementWindow> windows_;
  std::optional<std::int64_t> first_day_;
  bool has_begin_ = false, has_end_ = false, has_list_end_ = false;
  bool is_open_ = false;            // without its </OFX> so far
  std::size_t line_ = 0;            // of the last <OFX>
  std::size_t statement_line_ = 0;  // of a statement without a list so far, or 0
  std::size_t list_line_ = 0;       // of an open list, or 0
  Status status_{}, error_{};       // the last one, and the first error
  bool is_in_transaction_ = false;
  std::size_t begin_ = 0, line_of_transaction_ = 0;
  std::vector<Element> elements_;
  std::size_t count_ = 0;
  std::vector<StatementEntry> found_;  // added at the end, once it is known whether amounts have signs
  bool has_signs_ = false, has_told_kind_ = false;
};

}  // namespace

Statement read_ofx_statement(std::string_view text, const TimeZone& zone) {
  return OfxStatement(text, zone).read();
}

}  // namespace pixledger::stores
