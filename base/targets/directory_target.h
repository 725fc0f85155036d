#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/targets/target.h"

namespace pixledger {

// A target in a directory, such as one of another disk. The first write creates the directory in an existing
// one; never its parents, since those of a disk that is not mounted are missing.
class DirectoryTarget final : public Target {
 public:
  // The path must be absolute. Nothing is opened yet.
  explicit DirectoryTarget(std::filesystem::path directory);

  const std::string& uri() const override { return uri_; }
  std::vector<TargetObject> list(const std::string& prefix) const override;
  std::optional<std::string> read(const std::string& name, std::uint64_t offset,
                                  std::size_t max) const override;
  void write(const std::string& name, const ObjectSource& source) override;
  void remove(const std::string& name) override;

 private:
  void make_directory_of(const std::filesystem::path& file) const;
  void remove_unfinished();

  const std::filesystem::path directory_;
  const std::string uri_;
  bool is_clean_ = false;  // nothing is left of a writer that was killed
};

}  // namespace pixledger
