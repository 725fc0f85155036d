#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/platform/data_directory.h"

namespace pixledger::eventstore {

// Begins the data directory of a restore. Throws BackupRefused if the directory exists and is not empty,
// except for the files of a killed restore.
std::unique_ptr<DirectoryInMaking> begin_restore(const DataDirectory& data);

// Whether a restore was killed there: its files are no data directory.
bool is_unfinished_restore(const std::filesystem::path& root);
// Throws std::runtime_error if one was.
void refuse_unfinished_restore(const std::filesystem::path& root);

// Copies a keyring as of one moment, durably and with the same modes; makes the directory if it is missing.
// Returns the names of the files. Throws as Keyring::open does.
std::vector<std::string> copy_keys(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace pixledger::eventstore
