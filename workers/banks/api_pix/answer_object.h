#pragma once

#include <optional>
#include <simdjson.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/values/cents.h"

namespace pixledger::workers {

// An unusable answer: what is wrong, by the names of its fields. Never contains values, which may be a
// payer's. Only the parsers of answers throw and catch it.
class UnusableAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// It has more entries than are read.
class TooManyEntries : public UnusableAnswer {
 public:
  using UnusableAnswer::UnusableAnswer;
};

// It has unread content that may be payments.
class UnreadContent : public UnusableAnswer {
 public:
  using UnusableAnswer::UnusableAnswer;
};

// Returns whether it has content other than null, empty texts, and lists and objects of these alone.
bool has_content(simdjson::dom::element element);
// Returns whether it contains a payment at any depth: an object with an end-to-end id.
bool holds_payment(simdjson::dom::element element);
// Returns whether it contains a payment, or a list of objects, which may be payments by other names.
bool holds_entries(simdjson::dom::element element);

// An object of a bank's answer, read field by field. Names are compared by their letters and digits, without
// case (Santander writes txId). null counts as absent (Sicoob), and blanks around a text, also of Unicode,
// are ignored. A field that occurs twice with two values makes the answer unusable when it is read, as
// another reader would take the other value; an empty text does not count. JsonFields of base compares names
// exactly and refuses every double, so it cannot read these. Must not outlive its document.
class AnswerObject {
 public:
  // `where` names it in messages: "pix[3].". Throws UnusableAnswer if it is not an object.
  AnswerObject(simdjson::dom::element element, std::string where);

  // Returns whether the field has content.
  bool has(std::string_view name) const;
  // Return nullopt if absent. Throw UnusableAnswer for a value of another kind.
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<AnswerObject> object(std::string_view name) const;
  // Also accepts a single entry without its list; an object with nothing in it, or an empty text, is an empty
  // list. Throws TooManyEntries for more than `entries_max`, before it reads any.
  std::optional<std::vector<simdjson::dom::element>> list(std::string_view name,
                                                          std::size_t entries_max) const;
  // A number of seconds, items or pages, also as a text or with zeros after the point; 0 to 10^12.
  std::optional<std::int64_t> count(std::string_view name) const;
  // "37.00", also with fewer decimals, more zeros, a plus sign, a comma for the point, or as a number that is
  // exactly that (BS2); from 0.00 to 9,999,999,999.99.
  std::optional<domain::Cents> amount(std::string_view name) const;
  // See parse_bank_time().
  std::optional<Timestamp> time(std::string_view name) const;
  // Whole seconds of a number or a text, truncated. Returns nullopt also for anything else.
  std::optional<std::int64_t> seconds_if_any(std::string_view name) const;

  template <class Value>
  Value required(std::optional<Value> value, std::string_view name) const {
    if (!value) refuse(name, "is missing");
    return *std::move(value);
  }
  std::string_view required_text(std::string_view name) const { return required(text(name), name); }

  // For optional facts: returns nullopt also if unreadable.
  template <class Read>
  static auto if_readable(const Read& read) -> decltype(read()) {
    try {
      return read();
    } catch (const UnusableAnswer&) {
      return std::nullopt;
    }
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view problem) const;
  std::string path_of(std::string_view name) const { return where_ + std::string(name); }

 private:
  std::optional<simdjson::dom::element> find(std::string_view name) const;

  simdjson::dom::object object_;
  std::string where_;
};

// A parsed JSON answer (RFC 8259), with or without a byte order mark. Texts that are not UTF-8 are read as
// ISO 8859-1: everything read is ASCII in both. Throws UnusableAnswer if it is not JSON.
class AnswerDocument {
 public:
  explicit AnswerDocument(const std::string& body);
  AnswerObject root() const { return {root_, ""}; }
  simdjson::dom::element element() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

// Returns the value of a number or of a text that holds one, else nullopt.
std::optional<double> number_in(simdjson::dom::element element);

// Returns a payment's end-to-end id as written, by its own name or by the name in the API's paths.
std::optional<std::string_view> end_to_end_text(const AnswerObject& payment);
// Parses RFC 3339 and banks' variants: a blank or `t` for `T`, `z` for `Z`, an offset without its colon or
// its minutes. Returns nullopt for a time without a zone.
std::optional<Timestamp> parse_bank_time(std::string_view text);

// "37.00" → 3700; nullopt for what is not an amount.
std::optional<domain::Cents> parse_bank_amount(std::string_view text);

}  // namespace pixledger::workers
