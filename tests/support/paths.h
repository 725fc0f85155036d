#pragma once

#include <string>
#include <string_view>

// Paths of the checkout and its programs. Only paths.cpp is compiled with them, so that every other file
// compiles to the same object in every checkout.
namespace pixledger::tests {

// "tests/vectors/brcode.json" → the file in the checkout.
std::string source_file(std::string_view name);
// "http/openapi.json" → the file that this build made.
std::string built_file(std::string_view name);
// "pixledger-server" → the executable of this build.
std::string program_file(std::string_view name);

}  // namespace pixledger::tests
