#pragma once

#include <string>
#include <string_view>

// Where the checkout and its programs are. Only paths.cpp is compiled with them, so that every other file
// compiles the same wherever the checkout is.
namespace pixledger::tests {

// "tests/vectors/brcode.json" → the file of the checkout.
std::string source_file(std::string_view name);
// "http/openapi.json" → what this build made.
std::string built_file(std::string_view name);
// "pixledger-server" → the executable of this build.
std::string program_file(std::string_view name);

}  // namespace pixledger::tests
