#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/platform/data_directory.h"

namespace pixledger::eventstore {

// The data directory that a restore makes. Throws BackupRefused when the directory is there and not empty;
// what a restore that was killed left in it does not count.
std::unique_ptr<DirectoryInMaking> begin_restore(const DataDirectory& data);

// Whether a restore was killed there: what it left is no data directory.
bool is_unfinished_restore(const std::filesystem::path& root);
// Throws std::runtime_error when one was.
void refuse_unfinished_restore(const std::filesystem::path& root);

// Copies a keyring as it is at one moment, durably, into a directory that is made where it is missing, with
// the same modes. Returns the names of the files. Throws as Keyring::open does.
std::vector<std::string> copy_keys(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace pixledger::eventstore
