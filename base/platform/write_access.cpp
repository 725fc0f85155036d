#include "base/platform/write_access.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace pixledger {

bool may_write(const std::filesystem::path& directory, std::initializer_list<const char*> files) {
  return std::all_of(files.begin(), files.end(), [&directory](const char* file) {
    if (::access((directory / file).c_str(), W_OK) == 0) return true;
    return errno == ENOENT && ::access(directory.c_str(), W_OK) == 0;
  });
}

}  // namespace pixledger
