#pragma once

#include <filesystem>
#include <memory>

#include "base/platform/directory_in_making.h"

namespace pixledger::eventstore {

// The data directory that a restore makes. Throws BackupRefused when the directory is there and not empty;
// what a restore that was killed left in it does not count.
std::unique_ptr<DirectoryInMaking> begin_restore(const DataDirectory& data);

// Whether a restore was killed there: what it left is no data directory.
bool is_unfinished_restore(const std::filesystem::path& root);
// Throws std::runtime_error when one was.
void refuse_unfinished_restore(const std::filesystem::path& root);

}  // namespace pixledger::eventstore
