#pragma once

#include <filesystem>
#include <sys/types.h>
#include <vector>

namespace pixledger::eventstore {

struct OpenPath {
  std::filesystem::path path;
  mode_t mode;
};

// What users other than the owner of a data directory may read or write of what lies in it, to three levels
// down. What they cannot get to, since the directory above does not let them through, is not named, nor are
// symbolic links, nor the key of the pages' server, which may run as another user.
std::vector<OpenPath> find_open_to_others(const std::filesystem::path& root);

// "0644"
std::string octal_text(mode_t mode);

}  // namespace pixledger::eventstore
