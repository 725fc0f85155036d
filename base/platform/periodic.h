#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace pixledger {

// Calls a function again and again on a thread of its own until it is destroyed. A class whose function uses
// the class's other members declares its Periodic last, so that the thread ends before they do. Thread-safe.
class Periodic {
 public:
  using Wait = std::chrono::milliseconds;
  static constexpr Wait kAtOnce{0};
  static constexpr Wait kUntilWoken = Wait::max();

  // The first call follows after `first`, every other one after the wait that the call before it has
  // returned. `body` handles its exceptions: one that leaves it ends the process, as in any thread.
  Periodic(Wait first, std::function<Wait()> body);
  // After every call the same wait.
  Periodic(Wait first, Wait every, std::function<void()> body);
  // Cuts a wait short and waits for the call under way. No call begins after that.
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  // Cuts the wait for the next call short, also one that has not begun yet. Several before that call are one.
  void wake();
  // For a long call, which ends early once the thread has to stop: waits, and returns true as soon as that is
  // so. A zero wait only asks.
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
