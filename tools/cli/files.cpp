#include "tools/cli/files.h"

#include <algorithm>
#include <array>

namespace pixledger::tools {

std::optional<std::string> read_at_most(std::istream& in, std::size_t bytes_max) {
  std::string text;
  std::array<char, 16384> some;
  do {
    in.read(some.data(), some.size());
    text.append(some.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > bytes_max) return std::nullopt;
  } while (in);
  return text;
}

namespace fs = std::filesystem;

bool lies_within(const fs::path& path, const fs::path& directory) {
  const auto inner = fs::weakly_canonical(fs::absolute(path));
  const auto outer = fs::canonical(directory);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace pixledger::tools
