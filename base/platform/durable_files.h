#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "base/platform/descriptor.h"

// What it takes for files and directories to be there after a power loss, and for one process at a time to
// make them. Errors of the system are std::system_error.
namespace pixledger {

// Throws std::system_error of errno: "cannot open /path: …".
[[noreturn]] void fail_on(const std::filesystem::path& path, const char* what);

// Where temporary files go. Throws std::runtime_error, which says what to set, where TMPDIR names no
// directory.
std::filesystem::path temporary_directory();

// What was written to a file that is there lasts.
void sync_file(const std::filesystem::path& file);

// What was made, renamed or removed in it lasts.
void sync_directory(const std::filesystem::path& directory);

// Makes a directory, with those above it that are missing. Absolute.
void create_durably(const std::filesystem::path& directory);

// A file with this content that appears under its name only when it is whole, and durably.
void write_durably(const std::filesystem::path& file, const std::string& content);

// The whole of a small file; nullopt when there is none.
std::optional<std::string> read_if_there(const std::filesystem::path& file);

// The right to make things in a directory. The kernel frees it when the process ends, however that happens.
class DirectoryLock {
 public:
  // Waits for it. The directory must be there.
  explicit DirectoryLock(const std::filesystem::path& directory);
  // Null when another process has it.
  static std::unique_ptr<DirectoryLock> try_take(const std::filesystem::path& directory);
  // The same beside others that share it; the directory need not be writable.
  static std::unique_ptr<DirectoryLock> try_share(const std::filesystem::path& directory);

 private:
  DirectoryLock(const std::filesystem::path& directory, int operation);

  Descriptor descriptor_;
  bool taken_ = false;
};

// Whether this process may write these files of a directory, and make those that are not there. It may not on
// a file system that is mounted read-only, also for root.
bool may_write(const std::filesystem::path& directory, std::initializer_list<const char*> files);

}  // namespace pixledger
