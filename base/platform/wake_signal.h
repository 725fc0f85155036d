#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace pixledger {

// A number that who has news raises and who waits for news sleeps on, in all processes that name the same
// file. To raise it costs a system call only while somebody sleeps. What is waited for must be seen by who
// looks: the number itself says nothing. Thread-safe.
class WakeSignal {
 public:
  // Asked on the waiting thread, without a lock.
  using Condition = std::function<bool()>;

  // Of this process alone.
  WakeSignal();
  // Makes the file where there is none; it holds nothing that lasts. Where it cannot be had (no room, no
  // right, no file), the signal is of this process alone, and what others do is seen at the next look.
  explicit WakeSignal(const std::filesystem::path& file);
  ~WakeSignal();
  WakeSignal(const WakeSignal&) = delete;
  WakeSignal& operator=(const WakeSignal&) = delete;

  // To be called when the news can be seen.
  void raise();

  // Looks at the beginning, whenever the signal was raised, and every `look_every` even so. True as soon as
  // `done` is, false after the time-out.
  bool wait(std::chrono::milliseconds timeout, std::chrono::milliseconds look_every, const Condition& done);

 private:
  std::uint32_t announce();
  void sleep(std::uint32_t announced, std::chrono::nanoseconds at_most);

  std::atomic<std::uint32_t>* word_;
};

}  // namespace pixledger
