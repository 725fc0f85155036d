#include "tools/cli/table.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <ostream>
#include <utility>

#include "base/text/hidden_characters.h"
#include "base/text/text.h"

namespace pixledger::tools {
namespace {

constexpr std::size_t kGap = 2;

Row shown(const Row& row) {
  Row cells;
  for (const auto& cell : row) cells.push_back(with_hidden_escaped(cell));
  return cells;
}

void print_row(std::ostream& out, const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    line += row[column];
    const bool last = column + 1 == row.size();
    if (!last) line.append(widths[column] - count_characters(row[column]) + kGap, ' ');
  }
  out << line << '\n';
}

}  // namespace

void print_table(std::ostream& out, const Row& headings, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& heading : headings) widths.push_back(heading.size());
  std::vector<Row> all;
  for (const Row& row : rows) {
    assert(row.size() == headings.size());
    all.push_back(shown(row));
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], count_characters(all.back()[column]));
  }
  print_row(out, headings, widths);
  for (const Row& row : all) print_row(out, row, widths);
}

void print_facts(std::ostream& out, const std::vector<std::pair<std::string, std::string>>& facts) {
  std::size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  for (const auto& [name, value] : facts) print_row(out, shown({name, value}), {width, 0});
}

}  // namespace pixledger::tools
