#include "base/process/option_rules.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

namespace pixledger {
namespace {

template <class Number>
std::optional<Number> whole_number(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::string must_not_be_empty(const std::string& value) { return value.empty() ? "must not be empty" : ""; }

std::string must_not_be_a_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? "must be a file, and " + path + " is a directory"
                                                      : "";
}

std::string must_be_a_positive_integer(const std::string& value) {
  return whole_number<std::uint64_t>(value).value_or(0) > 0 ? "" : "must be an integer above 0";
}

std::string must_be_a_positive_number(const std::string& value) {
  const auto number = whole_number<double>(value);
  return number && *number > 0 && std::isfinite(*number) ? "" : "must be a number above 0";
}

std::string must_not_be_negative(const std::string& value) {
  return whole_number<std::int64_t>(value).value_or(-1) >= 0 ? "" : "must be an integer of 0 or more";
}

}  // namespace pixledger
