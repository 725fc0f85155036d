#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pixledger::http {

// A field whose rule depends on others, or is another component's.
struct AnyText {
  static constexpr std::string_view kRule = "must be a text";
  static std::optional<AnyText> parse(std::string_view text) { return AnyText{std::string(text)}; }
  std::string text;
};

}  // namespace pixledger::http
