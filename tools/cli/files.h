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

// Reads the whole stream; nullopt if it is longer than `bytes_max`, after reading little more than that.
std::optional<std::string> read_at_most(std::istream& in, std::size_t bytes_max);

// True if the path is an existing directory or is within it, after resolving symbolic links. The path itself
// need not exist.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& directory);

// A directory that exists while this object lives. A process that reads damaged files may crash, so its
// parent should own it.
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
