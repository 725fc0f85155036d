#pragma once

#include <exception>
#include <optional>
#include <string>

namespace pixledger::eventstore {

// Describes what the system refuses by that error of a file's or of LMDB's, as describe_refusal() does.
// nullopt for errors of all other kinds, damage among them.
std::optional<std::string> refusal_by_system(const std::exception& error);

// The whole text of such an error; a refusal names the file, the cause and what to do.
std::string text_by_system(const std::exception& error);

}  // namespace pixledger::eventstore
