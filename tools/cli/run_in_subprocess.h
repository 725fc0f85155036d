#pragma once

#include <functional>
#include <optional>

namespace pixledger::tools {

// Runs `body` in a process of its own, to which whatever it reads may do harm, and returns its exit code;
// nullopt when it crashed. An exception of `body` is told on stderr and is the exit code of a fault. What it
// printed is written. The calling process has no other threads, and nothing open that the body uses. Throws
// std::runtime_error when somebody killed the process.
std::optional<int> run_in_subprocess(const std::function<int()>& body);

// Runs a command. Errors of POCO's, refusals of the system and damaged files are thrown with their whole
// text: the file, the cause and what to do. All other errors are thrown as they are.
int run_with_whole_errors(const std::function<int()>& command);

}  // namespace pixledger::tools
