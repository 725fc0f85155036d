#include "stores/accounting/statement_values.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/ascii.h"
#include "base/values/civil_date.h"
#include "domain/pix/payment_ids.h"
#include "stores/accounting/statement_text.h"

namespace pixledger::stores {
namespace {

constexpr std::int64_t kHourMs = 60LL * 60 * 1000;
constexpr std::int64_t kMinuteMs = 60LL * 1000;

std::optional<std::int64_t> number_of(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || !all_ascii_digits(digits) || error != std::errc()) return std::nullopt;
  return number;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (text.size() < prefix.size() || !equal_without_case(text.substr(0, prefix.size()), prefix)) return false;
  text = trimmed(text.substr(prefix.size()));
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (text.size() < suffix.size() || !equal_without_case(text.substr(text.size() - suffix.size()), suffix))
    return false;
  text = trimmed(text.substr(0, text.size() - suffix.size()));
  return true;
}

// Signs around the digits.
struct AmountSigns {
  int minus = 0, brackets = 0;
  bool is_debit = false;   // "D"; a minus or brackets beside it mean the same
  bool is_credit = false;  // "C", "+"
};
AmountSigns take_signs(std::string_view& text) {
  // The longer ones first.
  constexpr std::array<std::string_view, 4> kDebitMarks{"DB", "DR", "D", "(-)"};
  constexpr std::array<std::string_view, 4> kCreditMarks{"CR", "C", "(+)", "+"};
  constexpr std::array<std::string_view, 4> kPlainMarks{"R$", "BRL", "reais", "real"};
  const auto take = [&text](std::string_view mark) {
    return take_prefix(text, mark) || take_suffix(text, mark);
  };
  AmountSigns signs;
  for (bool found = true; found && !text.empty();) {
    found = true;
    if (text.size() > 1 && text.front() == '(' && text.back() == ')') {
      text = trimmed(text.substr(1, text.size() - 2));
      ++signs.brackets;
    } else if (take("-")) {
      ++signs.minus;
    } else if (std::any_of(kDebitMarks.begin(), kDebitMarks.end(), take)) {
      signs.is_debit = true;
    } else if (std::any_of(kCreditMarks.begin(), kCreditMarks.end(), take)) {
      signs.is_credit = true;
    } else {
      found = std::any_of(kPlainMarks.begin(), kPlainMarks.end(), take);
    }
  }
  return signs;
}

bool is_grouping(char c) { return c == '.' || c == ',' || c == ' ' || c == '\''; }

// Returns the digits of groups of three, as "1.234.567", without the separators.
std::optional<std::string> without_groups(std::string_view text, char separator) {
  std::string digits;
  for (bool is_first = true;; is_first = false) {
    const auto end = std::min(text.find(separator), text.size());
    const auto group = text.substr(0, end);
    if (!all_ascii_digits(group) || group.empty() || (is_first ? group.size() > 3 : group.size() != 3))
      return std::nullopt;
    digits += group;
    if (end == text.size()) return digits;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::string> whole_of(std::string_view text) {
  if (all_ascii_digits(text)) return std::string(text.empty() ? "0" : text);
  const auto separator = std::find_if(text.begin(), text.end(), is_grouping);
  return separator == text.end() ? std::nullopt : without_groups(text, *separator);
}

// Removes what spreadsheets put around a text that looks like a number: ="19,90" and '19,90.
std::string_view without_formula(std::string_view text) {
  if (text.starts_with('\'')) return text.substr(1);
  if (!text.starts_with('=')) return text;
  text.remove_prefix(1);
  const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// Converts any dash, and full-width digits and signs, to ASCII.
std::string with_ascii_signs(std::string_view text) {
  constexpr std::uint32_t kFullWidthAscii = 0xFEE0;
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte_at(at) < 0xE0 || byte_at(at) >= 0xF0 || at + 3 > text.size()) {
      plain += text[at++];
      continue;
    }
    const std::uint32_t code =
        (byte_at(at) & 0x0FU) << 12U | (byte_at(at + 1) & 0x3FU) << 6U | (byte_at(at + 2) & 0x3FU);
    const bool is_dash = (code >= 0x2010 && code <= 0x2015) || code == 0x2212 || code == 0xFE63;
    if (is_dash)
      plain += '-';
    else if (code > 0xFF00 && code < 0xFF5F)
      plain += static_cast<char>(code - kFullWidthAscii);
    else
      plain += text.substr(at, 3);
    at += 3;
  }
  return plain;
}

// Converts spaces outside ASCII, which spreadsheets put between thousands, to ASCII.
std::string with_plain_blanks(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto rest = trimmed(text);
    if (rest.size() < text.size() && !rest.empty()) plain += ' ';
    if (rest.empty()) break;
    plain += rest.front();
    text = text.substr(static_cast<std::size_t>(rest.data() - text.data()) + 1);
  }
  return plain;
}

std::variant<std::int64_t, BadAmount> parse_unsigned(std::string_view text) {
  const auto point = text.find_last_of(".,");
  auto whole = std::string_view(text), decimals = std::string_view();
  if (point != std::string_view::npos) {
    const bool is_alone = text.find_first_of(".,") == point;
    const bool is_repeated = !is_alone && text.find(text[point]) != point;
    if (!is_repeated) {
      whole = text.substr(0, point);
      decimals = text.substr(point + 1);
      if (decimals.empty() || !all_ascii_digits(decimals)) return BadAmount::kNone;
      if (is_alone && decimals.size() == 3 && !whole.empty() && whole.size() <= 3 && whole != "0")
        return BadAmount::kAmbiguous;
      // Fractions of a cent are invalid; databases append zeros after the cents.
      if (decimals.size() > 2 && decimals.find_first_not_of('0', 2) != std::string_view::npos)
        return BadAmount::kNone;
    }
  }
  const auto digits = whole_of(whole);
  if (!digits || text.empty()) return BadAmount::kNone;
  auto cents = std::string(decimals.substr(0, 2));
  cents.resize(2, '0');
  const auto number = number_of(*digits + cents);
  return number ? std::variant<std::int64_t, BadAmount>(*number) : BadAmount::kNone;
}

// Reads digits from the begin of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool is_at_end() const { return text_.empty(); }
  std::string_view rest() const { return text_; }
  char peek() const { return text_.empty() ? '\0' : text_.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_any(std::string_view characters) {
    if (text_.empty() || characters.find(peek()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  void skip_blanks() { text_ = trimmed(text_); }
  // Reads a number of `least` to `most` digits.
  std::optional<std::int64_t> number(std::size_t least, std::size_t most) {
    std::size_t size = 0;
    while (size < most && size < text_.size() && is_ascii_digit(text_[size])) ++size;
    if (size < least) return std::nullopt;
    const auto found = number_of(text_.substr(0, size));
    text_.remove_prefix(size);
    return found;
  }
  std::size_t digits_ahead() const {
    return static_cast<std::size_t>(std::find_if_not(text_.begin(), text_.end(), is_ascii_digit) -
                                    text_.begin());
  }

 private:
  std::string_view text_;
};

std::optional<CivilDate> real_date(std::optional<std::int64_t> year, std::optional<std::int64_t> month,
                                   std::optional<std::int64_t> day) {
  if (!year || !month || !day) return std::nullopt;
  const CivilDate date{static_cast<int>(*year), static_cast<unsigned>(*month), static_cast<unsigned>(*day)};
  return is_real_date(date) ? std::optional(date) : std::nullopt;
}

// Reads the month of "27-nov-2026" and "27 de novembro de 2026", with its separators; takes nothing if no
// month is named.
std::optional<std::int64_t> scan_month_name(Scanner& in) {
  constexpr std::string_view kPortuguese = "jan fev mar abr mai jun jul ago set out nov dez";
  constexpr std::string_view kEnglish = "jan feb mar apr may jun jul aug sep oct nov dec";
  constexpr std::size_t kShortSize = 3, kLongSize = 12;
  const auto begin = in;
  const auto skip = [&in] {
    while (in.take_any(" -/.")) continue;
    if (in.take_word("de ")) in.skip_blanks();
  };
  skip();
  const auto word = in.rest().substr(0, in.rest().find_first_of(" -/.0123456789"));
  const auto name = word.size() < kLongSize ? words_of(word).substr(0, kShortSize) : std::string();
  in.take_word(word);
  skip();
  for (const auto names : {kPortuguese, kEnglish})
    if (name.size() == kShortSize && has_words(names, name))
      return static_cast<std::int64_t>(names.find(name) / (kShortSize + 1) + 1);
  in = begin;
  return std::nullopt;
}

std::optional<CivilDate> scan_date(Scanner& in) {
  const auto digits = in.digits_ahead();
  if (digits == 8 || digits == 10 || digits == 12 || digits == 14) {
    auto by_day = in;
    const auto year = in.number(4, 4), month = in.number(2, 2), day = in.number(2, 2);
    const auto date = real_date(year, month, day);
    if (date || digits != 8) return date;
    const auto first = by_day.number(2, 2), second = by_day.number(2, 2);
    return real_date(by_day.number(4, 4), second, first);
  }
  const bool begins_with_year = digits == 4;
  const auto first = in.number(1, 4);
  auto month = scan_month_name(in);
  if (month && begins_with_year) return std::nullopt;
  if (!month) {
    const char separator = in.peek();
    if (!in.take_any("-/.")) return std::nullopt;
    month = in.number(1, 2);
    if (!in.take(separator)) return std::nullopt;
  }
  if (begins_with_year) return real_date(first, month, in.number(1, 2));
  // In Brazil days come first.
  const auto year_digits = in.digits_ahead();
  auto year = in.number(2, 4);
  if (year_digits == 3) return std::nullopt;
  if (year && year_digits == 2) year = *year + 2000;
  return real_date(year, month, first);
}

// Removes the weekday of "seg, 02/03/2026", "segunda-feira 02/03/2026" and "02/03/2026 (seg)".
std::string_view without_weekday(std::string_view text) {
  constexpr std::string_view kWeekdays = "seg ter qua qui sex sab dom";
  constexpr std::size_t kShortSize = 3, kLongSize = 15;
  const auto is_weekday = [&](std::string_view word) {
    return word.size() <= kLongSize && words_of(word).size() >= kShortSize &&
           has_words(kWeekdays, words_of(word).substr(0, kShortSize));
  };
  const auto begin = std::min(text.find_first_of(", "), text.size());
  if (begin > 0 && !is_ascii_digit(text.front()) && is_weekday(text.substr(0, begin)))
    return trimmed(text.substr(std::min(text.find_first_not_of(", ", begin), text.size())));
  const auto end = text.find_last_of('(');
  const bool is_behind = end != std::string_view::npos && text.back() == ')' && is_weekday(text.substr(end));
  return is_behind ? trimmed(text.substr(0, end)) : text;
}

// Milliseconds since midnight.
std::optional<std::int64_t> scan_clock(Scanner& in) {
  const auto hour_digits = in.digits_ahead();
  const auto hour = in.number(1, 2);
  const bool is_apart = in.take_any(":hH");
  auto minute = in.number(2, 2);
  // "9h"
  if (!minute && is_apart && (in.is_at_end() || in.peek() == ' ')) minute = 0;
  // "2026112705"
  if (!minute && !is_apart && hour_digits == 2 && (in.is_at_end() || in.peek() == '[')) minute = 0;
  if (!hour || !minute || *hour > 24 || *minute > 59) return std::nullopt;
  std::int64_t second = 0;
  if (is_apart ? in.take_any(":mM") && is_ascii_digit(in.peek()) : is_ascii_digit(in.peek())) {
    const auto found = in.number(2, 2);
    if (!found || *found > 59) return std::nullopt;
    second = *found;
  }
  std::int64_t millis = 0;
  if (in.take_any(".,")) {
    const auto size = in.digits_ahead();
    if (size == 0 || size > 9) return std::nullopt;
    auto fraction = std::string(in.rest().substr(0, size));
    in.number(size, size);
    fraction.resize(3, '0');
    millis = *number_of(fraction);
  }
  const auto clock = *hour * kHourMs + *minute * kMinuteMs + second * 1000 + millis;
  // The end of a day is 24:00.
  return clock <= kDayMs ? std::optional(clock) : std::nullopt;
}

// "Z", "-03:00", "-0300", "-3", "[-3:BRT]", "[-0300]", "[-3.0:GMT]", "[BRT]": how far ahead of UTC.
std::optional<std::int64_t> scan_offset(Scanner& in) {
  const bool is_bracketed = in.take('[');
  in.skip_blanks();
  // "GMT-3"
  for (const std::string_view universal : {"GMT", "UTC"})
    if (is_bracketed && (in.rest().starts_with(std::string(universal) + "-") ||
                         in.rest().starts_with(std::string(universal) + "+")))
      in.take_word(universal);
  std::optional<std::int64_t> offset;
  const char sign = in.peek();
  if (in.take_any("+-") || (is_bracketed && is_ascii_digit(sign))) {
    const auto digits = in.digits_ahead();
    const auto hours = in.number(1, 2);
    std::int64_t minutes = 0;
    if (digits > 2) {
      const auto behind = digits == 4 ? in.number(2, 2) : std::nullopt;
      if (!behind) return std::nullopt;
      minutes = *behind;
    } else if (in.peek() == ':' && in.rest().size() > 1 && is_ascii_digit(in.rest()[1])) {
      in.take(':');
      minutes = in.number(2, 2).value_or(60);
    } else if (in.take_any(".,")) {
      // Hours and a fraction: 5.5. Some mean minutes by ".30", so only unambiguous fractions count.
      const auto size = in.digits_ahead();
      const auto part = in.number(1, 2);
      if (!part || (*part != 0 && *part != 5 && *part != 50)) return std::nullopt;
      minutes = *part == 0 ? 0 : *part == 5 && size == 2 ? 60 : 30;
    }
    if (!hours || *hours > 14 || minutes > 59) return std::nullopt;
    offset = (*hours * kHourMs + minutes * kMinuteMs) * (sign == '-' ? -1 : 1);
    if (!is_bracketed) return offset;
    // The zone's name follows, any text.
    if (in.peek() == ':' || in.peek() == ' ') in.take_word(in.rest().substr(0, in.rest().find(']')));
  } else if (is_bracketed) {
    in.take(':');
    const auto name = trimmed(in.rest().substr(0, in.rest().find(']')));
    for (const auto& [zone, hours] : {std::pair<std::string_view, int>{"GMT", 0},
                                      {"UTC", 0},
                                      {"BRT", -3},
                                      {"BRST", -2},
                                      {"AMT", -4},
                                      {"AMST", -3},
                                      {"ACT", -5},
                                      {"FNT", -2}})
      if (name == zone) {
        in.take_word(in.rest().substr(0, in.rest().find(']')));
        offset = hours * kHourMs;
        break;
      }
  } else if (in.take_any("Zz") || in.take_word("UTC") || in.take_word("GMT")) {
    offset = 0;
  }
  if (is_bracketed && !in.take(']')) return std::nullopt;
  return offset;
}

constexpr std::size_t kIdSize = 32;

// Returns only letters and digits, and the position of each.
std::string squeezed(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (is_ascii_alnum(c)) letters += c;
  return letters;
}

// Returns an end-to-end id with its first letter and institution in capitals, as they always are; the rest
// keeps its spelling.
std::optional<domain::EndToEndId> id_from(std::string_view candidate, char letter) {
  if (to_ascii_upper(candidate.front()) != letter) return std::nullopt;
  std::string text(candidate);
  text.front() = 'E';
  for (std::size_t i = 1; i < 9; ++i) text[i] = to_ascii_upper(text[i]);
  auto id = domain::EndToEndId::parse(text);
  if (!id || !id->has_usual_form()) return std::nullopt;
  return id;
}

std::optional<domain::EndToEndId> named_id_in(std::string_view text, char letter) {
  if (text.size() < kIdSize) return std::nullopt;
  // Tries whole words first: then no letter before or after it is taken for a part.
  for (auto rest = text; !rest.empty();) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_ascii_alnum);
    const auto word = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (word.size() == kIdSize)
      if (auto id = id_from(word, letter)) return id;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  const auto letters = squeezed(text);
  for (std::size_t at = 0; at + kIdSize <= letters.size(); ++at)
    if (auto id = id_from(std::string_view(letters).substr(at, kIdSize), letter)) return id;
  return std::nullopt;
}

}  // namespace

std::variant<std::int64_t, BadAmount> parse_amount(std::string_view text, bool* says_came) {
  const auto plain = with_plain_blanks(trimmed(with_ascii_signs(without_formula(trimmed(text)))));
  auto rest = std::string_view(plain);
  const auto signs = take_signs(rest);
  if (signs.minus > 1 || signs.brackets > 1) return BadAmount::kNone;
  auto amount = parse_unsigned(rest);
  auto* cents = std::get_if<std::int64_t>(&amount);
  const bool went = signs.minus == 1 || signs.brackets == 1 || signs.is_debit;
  if (cents && went) *cents = -*cents;
  if (says_came) *says_came = cents && signs.is_credit && !went;
  return amount;
}

std::string_view rule_of(BadAmount bad) {
  return bad == BadAmount::kAmbiguous
             ? "can be read in two ways: write it with two decimals, such as 1234.00 or 1.234,00"
             : "must be an amount in reais, such as 19.90 or 1.234,56";
}

std::optional<StatementTime> parse_statement_time(std::string_view text, const TimeZone& zone) {
  Scanner in(without_weekday(trimmed(text)));
  const auto date = scan_date(in);
  if (!date) return std::nullopt;
  const Timestamp midnight(days_from_civil(*date) * kDayMs);
  std::optional<std::int64_t> clock, offset;
  in.take_any(",");
  if (!in.is_at_end() && in.peek() != '[') {
    if (!in.take_any("Tt")) in.skip_blanks();
    for (const std::string_view word : {"\xC3\xA0s", "as", "-"})
      if (in.take_word(word)) break;
    in.skip_blanks();
    clock = scan_clock(in);
    if (!clock) return std::nullopt;
    in.skip_blanks();
  }
  const bool is_bracketed = in.peek() == '[';
  if (!in.is_at_end()) {
    offset = scan_offset(in);
    if (!offset || !in.is_at_end()) return std::nullopt;
  }
  // Banks that know only days write them in OFX as midnight of any zone: the day counts.
  if (is_bracketed && clock.value_or(0) == 0) {
    clock.reset();
    offset.reset();
  }
  const auto local = midnight.plus_millis(clock.value_or(0));
  const auto moment = offset ? local.plus_millis(-*offset) : zone.moment_of(local);
  if (moment < Timestamp() || moment > kLastTimestamp) return std::nullopt;
  return StatementTime{moment, clock.has_value()};
}

std::optional<domain::EndToEndId> end_to_end_id_in(std::string_view text) { return named_id_in(text, 'E'); }

std::string return_id_in(std::string_view text) {
  const auto id = named_id_in(text, 'D');
  if (!id) return {};
  auto name = id->text();
  for (auto& c : name) c = to_ascii_upper(c);
  name.front() = 'D';
  return name;
}

std::string charge_txid_in(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_ascii_alnum);
    const auto word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const auto txid = domain::Txid::parse(word);
    if (txid && domain::charge_named_by(*txid)) return std::string(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return {};
}

bool is_real(std::string_view currency) {
  // 986 is its code of ISO 4217, and 790 that of Banco Central.
  constexpr std::string_view kWords = "brl r rs 986 790 real reais brasil brasileiro brazilian";
  const auto words = words_of(currency);
  for (auto rest = std::string_view(words); !rest.empty();) {
    const auto word = rest.substr(0, rest.find(' '));
    if (!has_words(kWords, word)) return says_nothing(currency);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return true;
}

bool says_nothing(std::string_view cell) {
  const auto text = trimmed(cell);
  if (std::none_of(text.begin(), text.end(), is_ascii_alnum) && text.find('\xC3') == std::string_view::npos)
    return true;
  const auto words = words_of(text);
  return words == "0" || words == "r" || words == "n a" || words == "na" || words == "null" ||
         words == "none" || words == "nao informado" || words == "nao se aplica";
}

}  // namespace pixledger::stores
