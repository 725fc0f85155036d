#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <system_error>

#include "base/platform/durable_files.h"

namespace pixledger::tools {

// All that the stream has; nullopt when that is more than `bytes_max`, of which hardly more is read.
std::optional<std::string> read_at_most(std::istream& in, std::size_t bytes_max);

// Whether a path is a directory that is there, or lies in it, wherever symbolic links lead. The path itself
// need not be there.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& directory);

// A directory for as long as this lives. Whoever reads damaged files may crash, so their parent has it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((temporary_directory() / "pixledger-verify-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make " + path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace pixledger::tools
