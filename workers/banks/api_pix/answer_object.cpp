#include "workers/banks/api_pix/answer_object.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text/ascii.h"
#include "base/text/text.h"

namespace pixledger::workers {
namespace {

using simdjson::SUCCESS;

constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kWholeDigitsMax = 10;
constexpr std::int64_t kCountMax = 1'000'000'000'000;

// "3600", "3600.0".
std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

// Cents of a number of reais with at most two decimals: a double distinguishes all of these.
std::optional<domain::Cents> cents_of(double reais) {
  constexpr double kReaisMax = 9'999'999'999.99;
  if (!(reais >= 0 && reais <= kReaisMax)) return std::nullopt;
  const auto cents = std::llround(reais * 100);
  if (static_cast<double>(cents) / 100 != reais) return std::nullopt;
  return domain::Cents(cents);
}

// "19.90", also as "+19.90" or "19,90". Rejects possible thousands ("1,990").
std::optional<domain::Cents> cents_of(std::string_view text) {
  text = without_outer_blanks(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return parse_bank_amount(text);
  if (text.size() - comma - 1 > 2 || text.find('.') != std::string_view::npos) return std::nullopt;
  std::string written(text);
  written[comma] = '.';
  return parse_bank_amount(written);
}

std::optional<domain::Cents> cents_in(simdjson::dom::element element) {
  std::string_view written;
  if (element.get(written) == SUCCESS) return cents_of(written);
  double number = 0;
  return element.get(number) == SUCCESS ? cents_of(number) : std::nullopt;
}

bool is_empty_text(simdjson::dom::element element) {
  std::string_view text;
  return element.get(text) == SUCCESS && without_outer_blanks(text).empty();
}

// Compares ids by their characters: "01" and "1" differ. An amount has a point or a comma, or is a number.
bool are_same(simdjson::dom::element one, simdjson::dom::element other) {
  std::string_view text, again;
  const bool are_texts = one.get(text) == SUCCESS && other.get(again) == SUCCESS;
  if (are_texts && without_outer_blanks(text) == without_outer_blanks(again)) return true;
  const auto has_mark = [](std::string_view each) { return each.find_first_of(".,") != each.npos; };
  if (are_texts && !has_mark(text) && !has_mark(again)) return false;
  if (const auto cents = cents_in(one)) return cents == cents_in(other);
  return !are_texts && simdjson::minify(one) == simdjson::minify(other);
}

std::string from_latin1(std::string_view text) {
  std::string utf8;
  utf8.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
      continue;
    }
    utf8 += static_cast<char>(0xc0 | byte >> 6);
    utf8 += static_cast<char>(0x80 | (byte & 0x3f));
  }
  return utf8;
}

// Returns whether `is_so` holds for a part of a list or an object.
template <class IsSo>
bool any_part(simdjson::dom::element element, const IsSo& is_so) {
  simdjson::dom::array list;
  if (element.get(list) == SUCCESS) return std::any_of(list.begin(), list.end(), is_so);
  simdjson::dom::object object;
  return element.get(object) == SUCCESS &&
         std::any_of(object.begin(), object.end(), [&](const auto& field) { return is_so(field.value); });
}

}  // namespace

std::optional<double> number_in(simdjson::dom::element element) {
  double value = 0;
  std::string_view written;
  if (element.get(written) == SUCCESS) return parse_number(without_outer_blanks(written));
  if (element.get(value) == SUCCESS) return value;
  return std::nullopt;
}

bool has_content(simdjson::dom::element element) {
  if (element.is_array() || element.is_object()) return any_part(element, has_content);
  return !element.is_null() && !is_empty_text(element);
}

bool holds_payment(simdjson::dom::element element) {
  simdjson::dom::object object;
  if (element.get(object) == SUCCESS)
    for (const auto field : object)
      for (const auto* name : {"endToEndId", "e2eid"})
        if (is_same_name(field.key, name) && has_content(field.value)) return true;
  return any_part(element, holds_payment);
}

bool holds_entries(simdjson::dom::element element) {
  const auto is_entry = [](simdjson::dom::element part) { return part.is_object() && has_content(part); };
  if (element.is_array() && any_part(element, is_entry)) return true;
  return holds_payment(element) || any_part(element, holds_entries);
}

std::optional<domain::Cents> parse_bank_amount(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  auto decimals = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  while (decimals.size() > 2 && decimals.back() == '0') decimals.remove_suffix(1);
  if (whole.empty() || whole.size() > kWholeDigitsMax || !all_ascii_digits(whole)) return std::nullopt;
  if (point != std::string_view::npos && decimals.empty()) return std::nullopt;
  if (decimals.size() > 2 || !all_ascii_digits(decimals)) return std::nullopt;
  std::int64_t cents = 0;
  for (const char digit : whole) cents = cents * 10 + (digit - '0');
  for (std::size_t i = 0; i < 2; ++i) cents = cents * 10 + (i < decimals.size() ? decimals[i] - '0' : 0);
  return domain::Cents(cents);
}

std::optional<Timestamp> parse_bank_time(std::string_view text) {
  constexpr std::size_t kDateSize = sizeof "yyyy-MM-dd" - 1;
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::string written(text);
  if (written.size() <= kDateSize) return std::nullopt;
  if (written[kDateSize] == ' ' || written[kDateSize] == 't') written[kDateSize] = 'T';
  if (written.back() == 'z') written.back() = 'Z';
  const auto sign = written.find_first_of("+-", kDateSize);
  if (sign != std::string::npos) {
    if (written[sign - 1] == ' ') written.erase(sign - 1, 1);
    const auto offset = written.find_first_of("+-", kDateSize);
    const auto digits = written.size() - offset - 1;
    if (digits == 2) written += ":00";
    if (digits == 4) written.insert(offset + 3, ":");
  }
  return parse_iso8601(written);
}

AnswerObject::AnswerObject(simdjson::dom::element element, std::string where) : where_(std::move(where)) {
  if (element.get(object_) == SUCCESS) return;
  const auto name = where_.empty() ? "the answer" : where_.substr(0, where_.size() - 1);
  throw UnusableAnswer(name + " is not an object");
}

void AnswerObject::refuse(std::string_view name, std::string_view problem) const {
  throw UnusableAnswer(path_of(name) + " " + std::string(problem));
}

std::optional<simdjson::dom::element> AnswerObject::find(std::string_view name) const {
  std::optional<simdjson::dom::element> found;
  for (const auto field : object_) {
    if (field.value.is_null() || !is_same_name(field.key, name)) continue;
    // An empty spelling does not replace another.
    if (found && is_empty_text(field.value)) continue;
    if (found && !is_empty_text(*found)) {
      if (!are_same(*found, field.value)) refuse(name, "is there twice");
      continue;
    }
    found = field.value;
  }
  return found;
}

bool AnswerObject::has(std::string_view name) const {
  const auto element = find(name);
  return element && has_content(*element);
}

std::optional<std::string_view> AnswerObject::text(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  std::string_view value;
  if (element->get(value) != SUCCESS) refuse(name, "is not a text");
  return without_outer_blanks(value);
}

std::optional<AnswerObject> AnswerObject::object(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  return AnswerObject(*element, path_of(name) + ".");
}

std::optional<std::vector<simdjson::dom::element>> AnswerObject::list(std::string_view name,
                                                                      std::size_t entries_max) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  std::vector<simdjson::dom::element> entries;
  if (is_empty_text(*element)) return entries;
  simdjson::dom::object single;
  if (element->get(single) == SUCCESS) {
    if (single.begin() != single.end()) entries.push_back(*element);
    return entries;
  }
  simdjson::dom::array all;
  if (element->get(all) != SUCCESS) refuse(name, "is not a list");
  for (const auto entry : all) {
    if (entries.size() == entries_max)
      throw TooManyEntries(path_of(name) + " has over " + std::to_string(entries_max) + " entries");
    entries.push_back(entry);
  }
  return entries;
}

std::optional<std::int64_t> AnswerObject::count(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  const auto value = number_in(*element).value_or(-1);
  if (!(value >= 0 && value <= static_cast<double>(kCountMax)) || std::floor(value) != value)
    refuse(name, "is not a number from 0 on");
  return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> AnswerObject::seconds_if_any(std::string_view name) const {
  const auto element = find(name);
  const auto value = element ? number_in(*element) : std::nullopt;
  if (!value || !(*value >= 0 && *value <= static_cast<double>(kCountMax))) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<domain::Cents> AnswerObject::amount(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  const auto value = element->is_number() ? cents_in(*element) : cents_of(*text(name));
  if (!value) refuse(name, "is not an amount such as 37.00");
  return value;
}

std::optional<Timestamp> AnswerObject::time(std::string_view name) const {
  const auto written = text(name);
  if (!written) return std::nullopt;
  const auto value = parse_bank_time(*written);
  if (!value) refuse(name, "is not a time with its zone");
  return value;
}

std::optional<std::string_view> end_to_end_text(const AnswerObject& payment) {
  const auto text = payment.text("endToEndId");
  return text && !text->empty() ? text : payment.text("e2eid");
}

AnswerDocument::AnswerDocument(const std::string& body) {
  auto text = without_byte_order_mark(body);
  std::string spelt;
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    spelt = from_latin1(text);
    text = spelt;
  }
  if (parser_.allocate(text.size(), kDepthMax) != SUCCESS) throw UnusableAnswer("the answer is too long");
  if (parser_.parse(text.data(), text.size()).get(root_) != SUCCESS)
    throw UnusableAnswer("the answer is not JSON");
}

}  // namespace pixledger::workers
