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

// A derived database belongs to one process at a time: whoever holds this lock on its file. The kernel frees
// it when the process ends, however that happens.
class OwnerLock {
 public:
  // Null when somebody else holds it.
  static std::unique_ptr<OwnerLock> try_take(const std::filesystem::path& file);
  // Waits for it; throws std::runtime_error that names the holder's process id when it does not get it in
  // time.
  static std::unique_ptr<OwnerLock> take_within(const std::filesystem::path& file,
                                                std::chrono::milliseconds timeout);

  // "process 4711", for people.
  static std::string holder_of(const std::filesystem::path& file);

 private:
  explicit OwnerLock(int descriptor) : descriptor_(descriptor) {}
  Descriptor descriptor_;
};

// What many may hold at once, while nobody can have the OwnerLock on the same file. The kernel frees it, too.
// Each holder tells the others a stage that it is at. Thread-safe.
class UserLock {
 public:
  static constexpr std::uint64_t kFirstStage = 0;

  // Null while somebody has the OwnerLock.
  static std::unique_ptr<UserLock> try_take(const std::filesystem::path& file);

  void move_to(std::uint64_t stage);
  // Whether no holder is at another stage.
  static bool are_all_at(std::uint64_t stage, const std::filesystem::path& file);

 private:
  explicit UserLock(int descriptor) : descriptor_(descriptor) {}

  std::mutex mutex_;
  const Descriptor descriptor_;
  std::uint64_t stage_ = kFirstStage;
};

// Whether some process holds the lock on a file (owner_lock.h, WriteGate) at the moment. Takes nothing and
// only needs to read the file; false if the file is missing.
bool is_locked(const std::filesystem::path& file);

}  // namespace pixledger
