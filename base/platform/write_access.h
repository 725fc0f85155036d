#pragma once

#include <filesystem>
#include <initializer_list>

namespace pixledger {

// Whether this process may write these files of a directory, and make those that are not there. It may not on
// a file system that is mounted read-only, whoever it is.
bool may_write(const std::filesystem::path& directory, std::initializer_list<const char*> files);

}  // namespace pixledger
