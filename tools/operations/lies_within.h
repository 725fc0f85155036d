#pragma once

#include <filesystem>

namespace pixledger::tools {

// Whether a path is a directory that is there, or lies in it, wherever symbolic links lead. The path itself
// need not be there.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& directory);

}  // namespace pixledger::tools
