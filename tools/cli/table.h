#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace pixledger::tools {

using Row = std::vector<std::string>;

// Left-aligned columns under their headings.
void print_table(std::ostream& out, const Row& headings, const std::vector<Row>& rows);

// One "name   value" a line, the values below each other.
void print_facts(std::ostream& out, const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace pixledger::tools
