#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "base/platform/descriptor.h"

// Files and directories that survive a power loss, and locks for creating them. System errors throw
// std::system_error.
namespace pixledger {

// Throws std::system_error for errno: "cannot open /path: …".
[[noreturn]] void fail_on(const std::filesystem::path& path, const char* what);

// The directory for temporary files. If TMPDIR names no directory, throws std::runtime_error that says what
// to set.
std::filesystem::path temporary_directory();

// Makes an existing file's content durable.
void sync_file(const std::filesystem::path& file);

// Makes files created, renamed or removed in the directory durable.
void sync_directory(const std::filesystem::path& directory);

// Creates a directory and its missing parents. The path must be absolute.
void create_durably(const std::filesystem::path& directory);

// Writes a file atomically and durably: it appears under its name only when complete.
void write_durably(const std::filesystem::path& file, const std::string& content);

// The content of a small file; nullopt if it does not exist.
std::optional<std::string> read_if_there(const std::filesystem::path& file);

// An exclusive lock for creating things in a directory. The kernel releases it when the process ends.
class DirectoryLock {
 public:
  // Blocks until acquired. The directory must exist.
  explicit DirectoryLock(const std::filesystem::path& directory);
  // Null if another process holds it.
  static std::unique_ptr<DirectoryLock> try_take(const std::filesystem::path& directory);
  // Acquires it shared; the directory need not be writable.
  static std::unique_ptr<DirectoryLock> try_share(const std::filesystem::path& directory);

 private:
  DirectoryLock(const std::filesystem::path& directory, int operation);

  Descriptor descriptor_;
  bool taken_ = false;
};

// Whether this process may write these files of a directory and create missing ones. False on a read-only
// file system, also for root.
bool may_write(const std::filesystem::path& directory, std::initializer_list<const char*> files);

}  // namespace pixledger
