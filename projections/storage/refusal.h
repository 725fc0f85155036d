#pragma once

#include <exception>
#include <optional>
#include <string>

namespace pixledger::projections {

// What the system refuses by that error, as describe_refusal() has it, whichever library reports it; nothing
// for errors of all other kinds, damage among them.
std::optional<std::string> refusal_of(const std::exception& error);

// Whether only a file explains it that is not what was written to it.
bool is_damaged_file(const std::exception& error);

// The whole text of an error: what() of POCO's exceptions names their kind only.
std::string text_of(const std::exception& error);

}  // namespace pixledger::projections
