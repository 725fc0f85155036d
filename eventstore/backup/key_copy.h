#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pixledger::eventstore {

// Copies a keyring as it is at one moment, durably, into a directory that is made where it is missing, with
// the same modes. Returns the names of the files. Throws as Keyring::open does.
std::vector<std::string> copy_keys(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace pixledger::eventstore
