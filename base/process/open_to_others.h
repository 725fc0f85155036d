#pragma once

#include <filesystem>
#include <sys/types.h>
#include <vector>

namespace pixledger {

struct OpenPath {
  std::filesystem::path path;
  mode_t mode;
};

// Finds files and directories of a data directory, up to three levels deep, that users other than its owner
// may read or write. Skips paths below directories that they cannot enter, symbolic links, and the key of
// pixledger-web, which may run as another user.
std::vector<OpenPath> find_open_to_others(const std::filesystem::path& root);

// The bits of st_mode that chmod sets.
inline constexpr mode_t kModeBits = 07777;
// "0644"
std::string octal_text(mode_t mode);

}  // namespace pixledger
