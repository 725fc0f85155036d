#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/platform/descriptor.h"

namespace pixledger::eventstore {

// LMDB's writer lock is unfair: the thread that just released it takes it again, and a writer in another
// process waits for seconds. Writers that pass this gate first take turns: hold it while waiting for LMDB's
// lock, release it once inside.
class WriteGate {
 public:
  explicit WriteGate(const std::filesystem::path& file);

  // Blocks for the gate; RAII releases it.
  class Pass {
   public:
    explicit Pass(const WriteGate& gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    const WriteGate& gate_;
    std::unique_lock<std::mutex> among_threads_;
  };

 private:
  mutable std::mutex among_threads_;  // the lock of the file is one of the process
  Descriptor descriptor_;
};

// The office of the process that keeps an environment's checkpoints: a lock on a byte of lock.mdb that LMDB
// does not use. It must end exactly when LMDB's readers of a dead process may be cleared, so it is a lock of
// the same kind on the same file: a POSIX lock, which the process loses when it closes any descriptor of that
// file. So it outlives the environment, whose end closes another one. Thread-safe.
class KeeperOffice {
 public:
  // `directory`: of the environment, which is open.
  explicit KeeperOffice(const std::filesystem::path& directory);

  // Returns whether this process has it now.
  bool take();
  void leave();
  bool is_mine() const { return is_mine_; }
  // Whether this or another process has it.
  bool is_held() const;

 private:
  const std::filesystem::path file_;
  Descriptor descriptor_;
  std::atomic<bool> is_mine_{false};
};

}  // namespace pixledger::eventstore
