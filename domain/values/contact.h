#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger::domain {

// A telephone number: 10 to 15 digits, no signs, kept as it was sent.
class Phone {
 public:
  static constexpr std::string_view kRule = "must be 10 to 15 digits, without +, blanks or punctuation";

  static std::optional<Phone> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const Phone&, const Phone&) = default;

 private:
  explicit Phone(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// A phone number, or part of one, typed or pasted into a search field: 8 digits or more, with any
// punctuation. Brazil's country code is dropped before an area code, since numbers are kept with and without
// it.
struct TypedPhone {
  static std::optional<TypedPhone> parse(std::string_view text);

  // Whether a number that was kept contains the digits.
  bool is_in(const Phone& phone) const { return phone.text().find(digits) != std::string::npos; }

  std::string digits;
};

// An officially assigned ISO 3166-1 alpha-2 code, in upper case.
class CountryCode {
 public:
  static constexpr std::string_view kRule = "must be a two-letter country code of ISO 3166-1, such as BR";

  // Accepts either case.
  static std::optional<CountryCode> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const CountryCode&, const CountryCode&) = default;

 private:
  explicit CountryCode(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace pixledger::domain
