#pragma once

#include <functional>
#include <optional>

namespace pixledger::tools {

// Runs `body` in a child process, because the data that it reads may crash it. Returns its exit code; nullopt
// if it crashed. Prints an exception of `body` on stderr and returns the exit code of a fault. Flushes its
// output. The calling process must have no other threads, and must not have open what `body` uses. Throws
// std::runtime_error if the child was killed.
std::optional<int> run_in_subprocess(const std::function<int()>& body);

// Runs a command. Rethrows POCO errors, system refusals and file damage with their full text: file, cause and
// remedy. Other errors pass unchanged.
int run_with_whole_errors(const std::function<int()>& command);

}  // namespace pixledger::tools
