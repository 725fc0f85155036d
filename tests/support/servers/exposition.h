#pragma once

#include <string>
#include <vector>

namespace pixledger::tests {

// What is wrong with a page in Prometheus' text format, line by line; empty when it is valid: every line is a
// HELP, a TYPE or a sample, every sample belongs to the family announced before it, no series and no family
// comes twice, counters end in _total, and a histogram's buckets grow up to its count.
std::vector<std::string> exposition_problems(const std::string& page);

}  // namespace pixledger::tests
