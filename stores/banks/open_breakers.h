#pragma once

#include <filesystem>
#include <set>
#include <string>

// The connections whose banks are left alone for now, in a file beside the lock of the worker that says so:
// nobody is to wait for them. Without that worker it is worth nothing.
namespace pixledger::stores {

inline constexpr const char* kOpenBreakersFile = "open-breakers";

// Whoever reads meanwhile finds what was there before, or this. Not durable: it is of one run of the worker.
// Throws std::system_error.
void write_open_breakers(const std::filesystem::path& directory, const std::set<std::string>& connections);

// Empty where there is no such file. Throws std::system_error when it cannot be read.
std::set<std::string> read_open_breakers(const std::filesystem::path& directory);

}  // namespace pixledger::stores
