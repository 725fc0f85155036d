#include "eventstore/keys/key_directory.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "eventstore/keys/keyring_error.h"

namespace pixledger::eventstore {
namespace {

constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr mode_t kOthersModeBits = 0077;

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(),
                          "cannot " + std::string(what) + " " + path.string());
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

void refuse_what_others_may_read(int descriptor, mode_t wanted, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail("stat", path);
  const mode_t mode = status.st_mode & 07777;
  if ((mode & kOthersModeBits) == 0) return;
  char octal[32];
  std::snprintf(octal, sizeof octal, "%04o", static_cast<unsigned>(mode));
  char needed[32];
  std::snprintf(needed, sizeof needed, "%03o", static_cast<unsigned>(wanted));
  throw KeyringError(path.string() + " lets others in (mode " + octal + "): run chmod " + needed + " " +
                     path.string());
}

void sync(int descriptor, const std::filesystem::path& path) {
  if (::fsync(descriptor) != 0) fail("fsync", path);
}

void write_key(int descriptor, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void KeyDirectory::make(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST) fail("mkdir", path);
  const std::filesystem::path parent = path / "..";
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0) fail("open", parent);
  sync(directory.number(), parent);
}

KeyDirectory::KeyDirectory(const std::filesystem::path& path, Access access) : path_(path) {
  Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0 && errno == ENOENT) {
    throw KeyringError("there is no directory of keys at " + path.string() + ": restore it from its backup");
  }
  if (directory.number() < 0) fail("open", path);
  refuse_what_others_may_read(directory.number(), kDirectoryMode, path);
  while (::flock(directory.number(), access == Access::kChange ? LOCK_EX : LOCK_SH) != 0) {
    if (errno != EINTR) fail("lock", path);
  }
  descriptor_ = directory.release();
}

KeyDirectory::~KeyDirectory() { ::close(descriptor_); }

std::optional<std::string> KeyDirectory::read(const std::string& name) const {
  const Descriptor file(::openat(descriptor_, name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0 && errno == ENOENT) return std::nullopt;
  if (file.number() < 0) fail("open", path_of(name));
  refuse_what_others_may_read(file.number(), kFileMode, path_of(name));
  std::string bytes(kFileBytesMax + 1, '\0');
  std::size_t length = 0;
  while (length < bytes.size()) {
    const ssize_t got = ::read(file.number(), bytes.data() + length, bytes.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path_of(name));
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length > kFileBytesMax) throw KeyringError(path_of(name).string() + " is too long to hold keys");
  bytes.resize(length);
  return bytes;
}

void KeyDirectory::write(const std::string& name, std::string_view bytes) {
  const std::string unfinished = name + ".tmp";
  try {
    const Descriptor file(::openat(descriptor_, unfinished.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
    if (file.number() < 0) fail("open", path_of(unfinished));
    // One left behind by a crash keeps its mode.
    if (::fchmod(file.number(), kFileMode) != 0) fail("chmod", path_of(unfinished));
    write_key(file.number(), bytes, path_of(unfinished));
    sync(file.number(), path_of(unfinished));
  } catch (const std::system_error&) {
    ::unlinkat(descriptor_, unfinished.c_str(), 0);
    throw;
  }
  rename(unfinished, name);
}

void KeyDirectory::rename(const std::string& from, const std::string& to) {
  if (::renameat(descriptor_, from.c_str(), descriptor_, to.c_str()) != 0) fail("rename", path_of(from));
  sync(descriptor_, path_);
}

}  // namespace pixledger::eventstore
