#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace pixledger {

// A futex word for waking waiters, shared by all processes that use the same file. Raising it costs a system
// call only while a thread sleeps. Waiters must check their condition: the word itself carries no news.
// Thread-safe.
class WakeSignal {
 public:
  // Called on the waiting thread, without a lock.
  using Condition = std::function<bool()>;

  // For this process only.
  WakeSignal();
  // Creates the file if missing; its content need not survive. If that fails (space, rights), the signal
  // works in this process only. Changes by other processes are then noticed at the next check.
  explicit WakeSignal(const std::filesystem::path& file);
  ~WakeSignal();
  WakeSignal(const WakeSignal&) = delete;
  WakeSignal& operator=(const WakeSignal&) = delete;

  // Call after the news is visible.
  void raise();

  // Checks `done` first, after every raise, and every `look_every`. Returns true as soon as `done` does,
  // false after the timeout.
  bool wait(std::chrono::milliseconds timeout, std::chrono::milliseconds look_every, const Condition& done);

 private:
  std::uint32_t announce();
  void sleep(std::uint32_t announced, std::chrono::nanoseconds at_most);

  std::atomic<std::uint32_t>* word_;
};

}  // namespace pixledger
