#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger::domain {

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
