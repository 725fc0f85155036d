#include "base/platform/owner_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/platform/durable_files.h"

namespace pixledger {
namespace {

constexpr std::chrono::milliseconds kTryEvery{50};

void write_own_pid(int descriptor) {
  const auto text = std::to_string(::getpid()) + "\n";
  // For messages only: the lock works without it.
  if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) < 0) errno = 0;
}

int open_lock_file(const std::filesystem::path& file) {
  create_durably(std::filesystem::absolute(file).parent_path());
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
  return descriptor;
}

// Returns false if another process holds a conflicting lock.
bool try_lock(int descriptor, struct flock range) {
  if (::fcntl(descriptor, F_OFD_SETLK, &range) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  throw std::system_error(errno, std::generic_category(), "cannot take a lock");
}

bool is_free(int descriptor, struct flock range) {
  if (::fcntl(descriptor, F_OFD_GETLK, &range) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot look at a lock");
  return range.l_type == F_UNLCK;
}

}  // namespace

std::unique_ptr<OwnerLock> OwnerLock::try_take(const std::filesystem::path& file) {
  std::unique_ptr<OwnerLock> lock(new OwnerLock(open_lock_file(file)));
  if (!try_lock(lock->descriptor_.number(), lock_of(F_WRLCK))) return nullptr;
  write_own_pid(lock->descriptor_.number());
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

// A stage is a byte offset that its holders lock.
std::unique_ptr<UserLock> UserLock::try_take(const std::filesystem::path& file) {
  std::unique_ptr<UserLock> lock(new UserLock(open_lock_file(file)));
  return try_lock(lock->descriptor_.number(), lock_of(F_RDLCK, kFirstStage, 1)) ? std::move(lock) : nullptr;
}

void UserLock::move_to(std::uint64_t stage) {
  const std::lock_guard guard(mutex_);
  if (stage == stage_) return;
  // Holds both stages for a moment, so it is never seen at none. No OwnerLock can conflict meanwhile.
  try_lock(descriptor_.number(), lock_of(F_RDLCK, stage, 1));
  try_lock(descriptor_.number(), lock_of(F_UNLCK, stage_, 1));
  stage_ = stage;
}

bool UserLock::are_all_at(std::uint64_t stage, const std::filesystem::path& file) {
  const UserLock looks(open_lock_file(file));
  return (stage == 0 || is_free(looks.descriptor_.number(), lock_of(F_WRLCK, 0, stage))) &&
         is_free(looks.descriptor_.number(), lock_of(F_WRLCK, stage + 1));
}

bool is_locked(const std::filesystem::path& file) {
  const Descriptor opened(file, O_RDONLY);
  if (!opened && (errno == ENOENT || errno == ENOTDIR)) return false;
  if (!opened) throw std::system_error(errno, std::generic_category(), "cannot open " + file.string());
  auto range = lock_of(F_WRLCK);
  if (::fcntl(opened.number(), F_OFD_GETLK, &range) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot ask about " + file.string());
  return range.l_type != F_UNLCK;
}

}  // namespace pixledger
