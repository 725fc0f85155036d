#include "base/targets/directory_target.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"

namespace pixledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;
// Written under such a name, then renamed. Names of objects never begin with a dot.
constexpr const char* kUnfinished = ".unfinished-";

TargetFault fault_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return TargetFault::kFull;
    case EACCES:
    case EPERM:
    case EROFS:
      return TargetFault::kRefused;
    case ENOENT:
    case ENOTDIR:
    case EIO:
    case ESTALE:
    case ENOTCONN:
    case ENODEV:
    case ENXIO:
    case ETIMEDOUT:
    case EHOSTDOWN:
      return TargetFault::kUnreachable;
    default:
      return TargetFault::kOther;
  }
}

// System errors as those of the target.
template <class Work>
auto at_target(const std::string& uri, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::system_error& error) {
    throw TargetError(fault_of(error.code().value()), "the target " + uri + ": " + error.what());
  }
}

void write_all(const Descriptor& opened, const fs::path& file, const ObjectSource& source) {
  for (std::uint64_t done = 0; done < source.bytes;) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(source.bytes - done, kCopyBytes));
    const auto part = source.read(done, length);
    for (std::size_t written = 0; written < part.size();) {
      const auto count = ::write(opened.number(), part.data() + written, part.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_on(file, "write");
      written += static_cast<std::size_t>(count);
    }
    done += part.size();
  }
  if (::fsync(opened.number()) != 0) fail_on(file, "sync");
}

// A file under a name of its own, locked while its writer lives, and removed unless kept.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const fs::path& directory)
      : path_((directory / (std::string(kUnfinished) + "XXXXXX")).string()),
        descriptor_(::mkostemp(path_.data(), O_CLOEXEC)) {
    if (!descriptor_) fail_on(directory, "write in");
    if (::flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0) fail_on(path_, "lock");
  }
  ~UnfinishedFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const Descriptor& descriptor() const { return descriptor_; }
  void become(const fs::path& file) {
    fs::rename(path_, file);
    path_.clear();
  }

 private:
  std::string path_;
  Descriptor descriptor_;
};

}  // namespace

DirectoryTarget::DirectoryTarget(fs::path directory)
    : directory_(std::move(directory)), uri_(directory_.string()) {}

std::vector<TargetObject> DirectoryTarget::list(const std::string& prefix) const {
  return at_target(uri_, [&] {
    std::vector<TargetObject> found;
    if (!fs::exists(directory_)) {
      if (!fs::is_directory(directory_.parent_path()))
        throw std::system_error(ENOENT, std::generic_category(), "there is no directory for it");
      return found;
    }
    const auto below = directory_ / prefix;
    if (!fs::exists(below)) return found;
    for (fs::recursive_directory_iterator entry(below), end; entry != end; ++entry) {
      const auto file = entry->path().filename().string();
      if (file.front() == '.' || file == "lost+found") {  // the latter is of the file system
        entry.disable_recursion_pending();
        continue;
      }
      std::error_code is_gone;
      const auto bytes = entry->is_regular_file() ? entry->file_size(is_gone) : 0;
      if (!entry->is_directory() && !is_gone)
        found.push_back({entry->path().lexically_relative(directory_).string(), bytes});
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
  });
}

std::optional<std::string> DirectoryTarget::read(const std::string& name, std::uint64_t offset,
                                                 std::size_t max) const {
  return at_target(uri_, [&]() -> std::optional<std::string> {
    const auto file = directory_ / name;
    const Descriptor opened(file, O_RDONLY);
    if (!opened && errno == ENOENT) return std::nullopt;
    if (!opened) fail_on(file, "open");
    std::string bytes;
    while (bytes.size() < max) {
      const auto before = bytes.size();
      bytes.resize(before + std::min(max - before, kCopyBytes));
      const auto count = ::pread(opened.number(), bytes.data() + before, bytes.size() - before,
                                 static_cast<off_t>(offset + before));
      if (count < 0 && errno != EINTR) fail_on(file, "read");
      bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
      if (count == 0) break;
    }
    return bytes;
  });
}

void DirectoryTarget::make_directory_of(const fs::path& file) const {
  if (!fs::exists(directory_)) {
    fs::create_directory(directory_);  // its parent must be there
    sync_directory(directory_.parent_path());
  }
  create_durably(file.parent_path());
}

void DirectoryTarget::remove_unfinished() {
  if (is_clean_) return;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (entry.path().filename().string().rfind(kUnfinished, 0) != 0) continue;
    const Descriptor opened(entry.path(), O_RDONLY);
    if (opened && ::flock(opened.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
  is_clean_ = true;
}

void DirectoryTarget::write(const std::string& name, const ObjectSource& source) {
  at_target(uri_, [&] {
    const auto file = directory_ / name;
    make_directory_of(file);
    remove_unfinished();
    UnfinishedFile unfinished(directory_);
    write_all(unfinished.descriptor(), file, source);
    unfinished.become(file);
    sync_directory(file.parent_path());
  });
}

void DirectoryTarget::remove(const std::string& name) {
  at_target(uri_, [&] {
    const auto file = directory_ / name;
    if (::unlink(file.c_str()) != 0) {
      if (errno == ENOENT) return;
      fail_on(file, "remove");
    }
    sync_directory(file.parent_path());
    // A directory without an object is no part of the target.
    std::error_code has_more;
    for (auto parent = file.parent_path(); parent != directory_ && !has_more; parent = parent.parent_path())
      if (!fs::remove(parent, has_more)) break;
  });
}

}  // namespace pixledger
