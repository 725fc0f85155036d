#pragma once

#include <filesystem>

namespace pixledger {

// Run as root, the process becomes the owner of the directory, unless that is root or there is no such
// directory: so that no file in it becomes root's, and no service runs with root's rights. Call it before
// there are threads. Throws std::system_error when the rights cannot be given up.
void become_owner_of(const std::filesystem::path& directory);

}  // namespace pixledger
