#include "eventstore/platform/owner_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace pixledger::eventstore {
namespace {

constexpr std::chrono::milliseconds kTryEvery{50};

void write_own_pid(int descriptor) {
  const auto text = std::to_string(::getpid()) + "\n";
  // For people only: the lock holds whether or not this can be read.
  if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) < 0) errno = 0;
}

int open_lock_file(const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
  return descriptor;
}

// False while another holds one that excludes it.
bool try_lock(int descriptor, short type, const std::filesystem::path& file) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_SETLK, &range) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  throw std::system_error(errno, std::generic_category(), "cannot lock " + file.string());
}

}  // namespace

std::unique_ptr<OwnerLock> OwnerLock::try_take(const std::filesystem::path& file) {
  std::unique_ptr<OwnerLock> lock(new OwnerLock(open_lock_file(file)));
  if (!try_lock(lock->descriptor_, F_WRLCK, file)) return nullptr;
  write_own_pid(lock->descriptor_);
  return lock;
}

std::unique_ptr<OwnerLock> OwnerLock::take_within(const std::filesystem::path& file,
                                                  std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    if (auto lock = try_take(file)) return lock;
    if (std::chrono::steady_clock::now() >= deadline)
      throw std::runtime_error(file.parent_path().string() + " is in use by " + holder_of(file) +
                               ": stop that first");
    std::this_thread::sleep_for(kTryEvery);
  }
}

std::string OwnerLock::holder_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string pid;
  in >> pid;
  return pid.empty() ? "another process" : "process " + pid;
}

OwnerLock::~OwnerLock() { ::close(descriptor_); }

std::unique_ptr<UserLock> UserLock::try_take(const std::filesystem::path& file) {
  std::unique_ptr<UserLock> lock(new UserLock(open_lock_file(file)));
  return try_lock(lock->descriptor_, F_RDLCK, file) ? std::move(lock) : nullptr;
}

UserLock::~UserLock() { ::close(descriptor_); }

}  // namespace pixledger::eventstore
