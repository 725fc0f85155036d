#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace pixledger {

// Calls a function repeatedly on its own thread until destroyed. Declare a Periodic as the last member if its
// function uses other members: its thread must end first. Thread-safe.
class Periodic {
 public:
  using Wait = std::chrono::milliseconds;
  static constexpr Wait kAtOnce{0};
  static constexpr Wait kUntilWoken = Wait::max();

  // The first call comes after `first`, each later one after the wait that the previous call returned. `body`
  // must handle its exceptions: one that escapes ends the process.
  Periodic(Wait first, std::function<Wait()> body);
  // Waits equally long after every call.
  Periodic(Wait first, Wait every, std::function<void()> body);
  // Interrupts a wait, or blocks until the running call ends. No further call starts.
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  // Makes the next call start without waiting, even if its wait has not begun. Repeated wakes before that
  // call count once.
  void wake();
  // For long calls that should end early on destruction: waits, and returns true as soon as the thread has to
  // stop. A zero wait only polls.
  bool wait_for_stop(Wait at_most);

 private:
  void run(Wait wait);

  const std::function<Wait()> body_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool is_woken_ = false;
  std::thread thread_;
};

}  // namespace pixledger
