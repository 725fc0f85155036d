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

}  // namespace pixledger::domain
