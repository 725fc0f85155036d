#pragma once

#include <functional>
#include <optional>

namespace pixledger::tools {

// Runs `body` in a process of its own, to which whatever it reads may do harm, and returns its exit code;
// nullopt when it crashed. An exception of `body` is told on stderr and is the exit code of a fault. What it
// printed is written. The calling process has no other threads, and nothing open that the body uses. Throws
// std::runtime_error when somebody killed the process.
std::optional<int> run_in_subprocess(const std::function<int()>& body);

}  // namespace pixledger::tools
