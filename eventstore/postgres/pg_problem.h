#pragma once

#include <string>
#include <string_view>

namespace pixledger::eventstore {

// The first line of a message of PostgreSQL or libpq, printable.
std::string line_of_problem(std::string_view text);

// Why no session could be opened, in one line: the reason of each host that libpq tried. Without hosts, the
// first line.
std::string problem_of_hosts(std::string_view text);

}  // namespace pixledger::eventstore
