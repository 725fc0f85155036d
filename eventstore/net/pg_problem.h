#pragma once

#include <string>
#include <string_view>

namespace pixledger::eventstore {

// The first line of what PostgreSQL or libpq say, printable.
std::string line_of_problem(std::string_view text);

// Why no session could be had, in a line: of each host that libpq tried its reason. Without hosts, the first
// line.
std::string problem_of_hosts(std::string_view text);

}  // namespace pixledger::eventstore
