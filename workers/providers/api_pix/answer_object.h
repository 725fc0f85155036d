#pragma once

#include <optional>
#include <simdjson.h>
#include <stdexcept>
#include <string>
#include <string_view>

#include "domain/values/cents.h"
#include "domain/values/timestamp.h"

namespace pixledger::workers {

// An answer cannot be used: what is wrong, by the names of its fields. Never says what they hold, which may
// be a payer's. Only the parsers of answers throw and catch it.
class UnusableAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An object of a bank's answer, read field by field; null counts as absent (Sicoob). A field that is there
// twice makes the answer unusable when it is asked for: another reader would take the other one. Lives as
// long as the parser that it came from.
class AnswerObject {
 public:
  // `where` names it in messages: "pix[3].". Throws UnusableAnswer when it is no object.
  AnswerObject(simdjson::dom::element element, std::string where);

  // nullopt: absent. Throw UnusableAnswer for a value of another kind.
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<AnswerObject> object(std::string_view name) const;
  std::optional<simdjson::dom::array> array(std::string_view name) const;
  // A number of seconds, items or pages, also where it is written as a text; from 0 to 10^12.
  std::optional<std::int64_t> count(std::string_view name) const;
  // "37.00", also with fewer decimals, from 0.00 to 9,999,999,999.99; never by way of a double.
  std::optional<domain::Cents> amount(std::string_view name) const;
  // RFC 3339, with its zone.
  std::optional<domain::Timestamp> time(std::string_view name) const;

  template <class Value>
  Value required(std::optional<Value> value, std::string_view name) const {
    if (!value) refuse(name, "is missing");
    return *std::move(value);
  }
  std::string_view required_text(std::string_view name) const { return required(text(name), name); }

  [[noreturn]] void refuse(std::string_view name, std::string_view problem) const;
  std::string path_of(std::string_view name) const { return where_ + std::string(name); }

 private:
  std::optional<simdjson::dom::element> find(std::string_view name) const;

  simdjson::dom::object object_;
  std::string where_;
};

// One parsed answer. Throws UnusableAnswer when it is not JSON (RFC 8259, UTF-8).
class AnswerDocument {
 public:
  explicit AnswerDocument(const std::string& body);
  AnswerObject root() const { return {root_, ""}; }
  simdjson::dom::element element() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

// "37.00" → 3700; nullopt for what is no amount.
std::optional<domain::Cents> parse_bank_amount(std::string_view text);

}  // namespace pixledger::workers
