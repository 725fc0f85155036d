#include "tools/operations/lies_within.h"

#include <algorithm>

namespace pixledger::tools {

namespace fs = std::filesystem;

bool lies_within(const fs::path& path, const fs::path& directory) {
  const auto inner = fs::weakly_canonical(fs::absolute(path));
  const auto outer = fs::canonical(directory);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace pixledger::tools
