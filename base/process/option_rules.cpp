#include "base/process/option_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/text/ascii.h"

namespace pixledger {
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

namespace {

// At most a third of the letters may differ.
constexpr std::size_t kLettersOfMistake = 3;

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view misspelt, const std::vector<std::string>& names) {
  std::string nearest;
  auto least = misspelt.size() / kLettersOfMistake + 1;
  for (const auto& name : names) {
    const auto mistakes = distance(misspelt, name);
    if (mistakes >= least) continue;
    least = mistakes;
    nearest = name;
  }
  return nearest;
}

}  // namespace pixledger
