#pragma once

#include <exception>
#include <optional>
#include <string>

namespace pixledger::stores {

// Describes what the system refuses by that error, as describe_refusal() does, whichever library reports it.
// nullopt for errors of all other kinds, damage among them. To be called on the thread that the error was
// thrown on.
std::optional<std::string> refusal_of(const std::exception& error);

// Throws std::system_error, which another thread can understand, where a refused write explains an error of
// SQLite's; returns otherwise. To be called as above.
void rethrow_refusal(const std::exception& error);

// Whether only a file explains it that is not what was written to it.
bool is_damaged_file(const std::exception& error);

// The whole text of an error: what() of POCO's exceptions names their kind only. Of a refusal it names the
// file, the cause and what to do.
std::string text_of(const std::exception& error);

}  // namespace pixledger::stores
