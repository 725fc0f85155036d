#include "workers/providers/api_pix/answer_object.h"

#include <charconv>
#include <utility>

#include "domain/text/ascii.h"

namespace pixledger::workers {
namespace {

using simdjson::SUCCESS;

constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kWholeDigitsMax = 10;
constexpr std::int64_t kCountMax = 1'000'000'000'000;

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<domain::Cents> parse_bank_amount(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  auto decimals = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || whole.size() > kWholeDigitsMax || !domain::all_ascii_digits(whole))
    return std::nullopt;
  if (point != std::string_view::npos && decimals.empty()) return std::nullopt;
  if (decimals.size() > 2 || !domain::all_ascii_digits(decimals)) return std::nullopt;
  std::int64_t cents = 0;
  for (const char digit : whole) cents = cents * 10 + (digit - '0');
  for (std::size_t i = 0; i < 2; ++i) cents = cents * 10 + (i < decimals.size() ? decimals[i] - '0' : 0);
  return domain::Cents(cents);
}

AnswerObject::AnswerObject(simdjson::dom::element element, std::string where) : where_(std::move(where)) {
  if (element.get(object_) == SUCCESS) return;
  const auto name = where_.empty() ? "the answer" : where_.substr(0, where_.size() - 1);
  throw UnusableAnswer(name + " is no object");
}

void AnswerObject::refuse(std::string_view name, std::string_view problem) const {
  throw UnusableAnswer(path_of(name) + " " + std::string(problem));
}

std::optional<simdjson::dom::element> AnswerObject::find(std::string_view name) const {
  std::optional<simdjson::dom::element> found;
  for (const auto field : object_) {
    if (field.key != name) continue;
    if (found) refuse(name, "is there twice");
    found = field.value;
  }
  if (found && found->is_null()) return std::nullopt;
  return found;
}

std::optional<std::string_view> AnswerObject::text(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  std::string_view value;
  if (element->get(value) != SUCCESS) refuse(name, "is no text");
  return value;
}

std::optional<AnswerObject> AnswerObject::object(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  return AnswerObject(*element, path_of(name) + ".");
}

std::optional<simdjson::dom::array> AnswerObject::array(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  simdjson::dom::array value;
  if (element->get(value) != SUCCESS) refuse(name, "is no list");
  return value;
}

std::optional<std::int64_t> AnswerObject::count(std::string_view name) const {
  const auto element = find(name);
  if (!element) return std::nullopt;
  std::int64_t value = -1;
  std::string_view written;
  if (element->get(written) == SUCCESS)
    value = parse_count(written).value_or(-1);
  else if (element->get(value) != SUCCESS)
    value = -1;
  if (value < 0 || value > kCountMax) refuse(name, "is no number from 0 on");
  return value;
}

std::optional<domain::Cents> AnswerObject::amount(std::string_view name) const {
  const auto written = text(name);
  if (!written) return std::nullopt;
  const auto value = parse_bank_amount(*written);
  if (!value) refuse(name, "is no amount such as 37.00");
  return value;
}

std::optional<domain::Timestamp> AnswerObject::time(std::string_view name) const {
  const auto written = text(name);
  if (!written) return std::nullopt;
  const auto value = domain::parse_iso8601(*written);
  if (!value) refuse(name, "is no time with its zone");
  return value;
}

AnswerDocument::AnswerDocument(const std::string& body) {
  if (parser_.allocate(body.size(), kDepthMax) != SUCCESS) throw UnusableAnswer("the answer is too long");
  if (parser_.parse(body).get(root_) != SUCCESS) throw UnusableAnswer("the answer is not JSON");
}

}  // namespace pixledger::workers
