#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "base/platform/descriptor.h"

namespace pixledger {

// An exclusive lock on a derived database's file, for one process at a time. The kernel releases it when the
// process ends.
class OwnerLock {
 public:
  // Null if another process holds it.
  static std::unique_ptr<OwnerLock> try_take(const std::filesystem::path& file);
  // Blocks until acquired. After the timeout throws std::runtime_error with the holder's process id.
  static std::unique_ptr<OwnerLock> take_within(const std::filesystem::path& file,
                                                std::chrono::milliseconds timeout);

  // For messages: "process 4711".
  static std::string holder_of(const std::filesystem::path& file);

 private:
  explicit OwnerLock(int descriptor) : descriptor_(descriptor) {}
  Descriptor descriptor_;
};

// A shared lock that excludes an OwnerLock on the same file. The kernel releases it too. Each holder
// publishes its current stage. Thread-safe.
class UserLock {
 public:
  static constexpr std::uint64_t kFirstStage = 0;

  // Null while a process holds the OwnerLock.
  static std::unique_ptr<UserLock> try_take(const std::filesystem::path& file);

  void move_to(std::uint64_t stage);
  // Whether every holder is at this stage.
  static bool are_all_at(std::uint64_t stage, const std::filesystem::path& file);

 private:
  explicit UserLock(int descriptor) : descriptor_(descriptor) {}

  std::mutex mutex_;
  const Descriptor descriptor_;
  std::uint64_t stage_ = kFirstStage;
};

// Whether a process currently holds the lock on a file (owner_lock.h, WriteGate). Acquires nothing and only
// reads the file; false if the file is missing.
bool is_locked(const std::filesystem::path& file);

}  // namespace pixledger
