#include "base/process/open_to_others.h"

#include <algorithm>
#include <string>
#include <sys/stat.h>

namespace pixledger {
namespace {

constexpr mode_t kPassing = S_IXGRP | S_IXOTH;
constexpr int kLevels = 3;  // DATA/workers/webhooks/deliveries.db
constexpr const char* kWebKey = "web-key";

// The read and write bits of group and others, if they may enter the parent directories.
mode_t reach_of(mode_t passing) {
  mode_t reach = 0;
  if ((passing & S_IXGRP) != 0) reach |= S_IRGRP | S_IWGRP;
  if ((passing & S_IXOTH) != 0) reach |= S_IROTH | S_IWOTH;
  return reach;
}

void look_below(const std::filesystem::path& directory, mode_t passing, int levels,
                std::vector<OpenPath>& found) {
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(directory, unreadable)) {
    struct stat status {};
    const auto& path = entry.path();
    if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) continue;
    if (path.filename() == kWebKey) continue;
    const mode_t mode = status.st_mode & kModeBits;
    if (!S_ISDIR(status.st_mode)) {
      if ((mode & reach_of(passing)) != 0) found.push_back({path, mode});
      continue;
    }
    // A readable directory shows only names, and unknown files in a writable one are never read.
    const mode_t further = passing & mode & kPassing;
    if (levels > 1 && further != 0) look_below(path, further, levels - 1, found);
  }
}

}  // namespace

std::vector<OpenPath> find_open_to_others(const std::filesystem::path& root) {
  std::vector<OpenPath> found;
  struct stat status {};
  if (::stat(root.c_str(), &status) != 0) return found;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) found.push_back({root, status.st_mode & kModeBits});
  look_below(root, status.st_mode & kPassing, kLevels, found);
  std::sort(found.begin(), found.end(), [](const OpenPath& a, const OpenPath& b) { return a.path < b.path; });
  return found;
}

std::string octal_text(mode_t mode) {
  std::string digits;
  for (; mode > 0; mode >>= 3) digits.insert(digits.begin(), static_cast<char>('0' + (mode & 7)));
  return "0" + digits;
}

}  // namespace pixledger
