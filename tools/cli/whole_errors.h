#pragma once

#include <functional>

namespace pixledger::tools {

// Runs a command. Errors of POCO's, refusals of the system and damaged files are thrown with their whole
// text: the file, the cause and what to do. All other errors are thrown as they are.
int run_with_whole_errors(const std::function<int()>& command);

}  // namespace pixledger::tools
