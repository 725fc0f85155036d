#include "base/platform/durable_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace pixledger {
namespace {

namespace fs = std::filesystem;

int open_directory(const fs::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail_on(directory, "open");
  return descriptor;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void fail_on(const fs::path& path, const char* what) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("cannot ") + what + ' ' + path.string());
}

std::filesystem::path temporary_directory() {
  std::error_code error;
  auto directory = std::filesystem::temp_directory_path(error);
  if (!error) return directory;
  const auto* const named = std::getenv("TMPDIR");
  throw std::runtime_error(
      "there is no directory for temporary files: set TMPDIR to one that this user may write" +
      (named ? ", it is " + std::string(named) : std::string()));
}

void sync_file(const fs::path& file) {
  const Descriptor opened(file, O_RDONLY);
  if (!opened) fail_on(file, "open");
  if (::fsync(opened.number()) != 0) fail_on(file, "sync");
}

void sync_directory(const fs::path& directory) {
  const Descriptor opened(open_directory(directory));
  if (::fsync(opened.number()) != 0) fail_on(directory, "sync");
}

void create_durably(const fs::path& directory) {
  if (fs::is_directory(directory) || !directory.has_relative_path()) return;
  create_durably(directory.parent_path());
  fs::create_directory(directory);
  sync_directory(directory.parent_path());
}

void write_durably(const fs::path& file, const std::string& content) {
  auto unfinished = file;
  unfinished += ".new";
  const Descriptor opened(unfinished, O_WRONLY | O_CREAT | O_TRUNC);
  if (!opened) fail_on(unfinished, "open");
  if (!write_all(opened.number(), content) || ::fsync(opened.number()) != 0) {
    const int error = errno;
    ::unlink(unfinished.c_str());  // on a full disk it would take room that others need
    errno = error;
    fail_on(file, "write");
  }
  fs::rename(unfinished, file);
  sync_directory(file.parent_path());
}

std::optional<std::string> read_if_there(const fs::path& file) {
  const Descriptor opened(file, O_RDONLY);
  if (!opened && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!opened) fail_on(file, "open");
  std::string content;
  std::array<char, 4096> some;
  ssize_t count = 0;
  while ((count = ::read(opened.number(), some.data(), some.size())) != 0) {
    if (count < 0 && errno != EINTR) break;
    if (count > 0) content.append(some.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) fail_on(file, "read");
  return content;
}

DirectoryLock::DirectoryLock(const fs::path& directory) : DirectoryLock(directory, LOCK_EX) {}

DirectoryLock::DirectoryLock(const fs::path& directory, int operation)
    : descriptor_(open_directory(directory)) {
  while (::flock(descriptor_.number(), operation) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return;
    fail_on(directory, "lock");
  }
  taken_ = true;
}

std::unique_ptr<DirectoryLock> DirectoryLock::try_take(const fs::path& directory) {
  std::unique_ptr<DirectoryLock> lock(new DirectoryLock(directory, LOCK_EX | LOCK_NB));
  return lock->taken_ ? std::move(lock) : nullptr;
}

std::unique_ptr<DirectoryLock> DirectoryLock::try_share(const fs::path& directory) {
  std::unique_ptr<DirectoryLock> lock(new DirectoryLock(directory, LOCK_SH | LOCK_NB));
  return lock->taken_ ? std::move(lock) : nullptr;
}

bool may_write(const std::filesystem::path& directory, std::initializer_list<const char*> files) {
  return std::all_of(files.begin(), files.end(), [&directory](const char* file) {
    if (::access((directory / file).c_str(), W_OK) == 0) return true;
    return errno == ENOENT && ::access(directory.c_str(), W_OK) == 0;
  });
}

}  // namespace pixledger
