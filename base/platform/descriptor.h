#pragma once

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace pixledger {

// Owns a file descriptor. False if the file could not be opened; errno has the reason.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  // Files that it creates are accessible to their owner only.
  Descriptor(const std::filesystem::path& file, int flags)
      : number_(::open(file.c_str(), flags | O_CLOEXEC, 0600)) {}
  // Preserves errno.
  ~Descriptor() {
    const int error = errno;
    if (number_ >= 0) ::close(number_);
    errno = error;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// A lock on a byte range for fcntl(); length 0 extends to the end of the file.
inline struct flock lock_of(short type, std::uint64_t begin = 0, std::uint64_t length = 0) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(begin);
  lock.l_len = static_cast<off_t>(length);
  return lock;
}

}  // namespace pixledger
