#pragma once

#include <string>
#include <vector>

namespace pixledger::tests {

// Returns the problems of a page in Prometheus' text format, line by line. In a valid page every line is a
// HELP, a TYPE or a sample; every sample belongs to the family announced before it; no series or family
// occurs twice; counters end in _total; a histogram's buckets grow up to its count.
std::vector<std::string> exposition_problems(const std::string& page);

}  // namespace pixledger::tests
