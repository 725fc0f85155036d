#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/http/transport/poller.h"
#include "base/http/transport/timer_wheel.h"

namespace pixledger::http {

// One thread that waits for sockets, timers and what other threads ask of it, and does each in turn. Nothing
// that it runs may block.
class EventLoop {
 public:
  using Clock = Poller::Clock;
  using Task = std::function<void()>;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void start();
  // Returns once the thread has run what was posted before, and nothing after.
  void stop();

  // From any thread. Tasks run in the order in which they came, after what the loop does now; however many
  // come while it is awake, it is woken at most once. Must not throw. Dropped once the loop has stopped.
  void post(Task task);
  bool is_this_thread() const { return id_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

  // For the loop's own thread.
  Poller& poller() { return poller_; }
  TimerWheel& timers() { return timers_; }
  Clock::time_point now() const { return now_; }  // when this turn began: when it woke
  // Runs at the end of this turn, as for what cannot be destroyed while it is being told something.
  void at_end_of_turn(Task task) { ending_.push_back(std::move(task)); }

 private:
  void run();
  void run_posted();

  Poller poller_;
  Clock::time_point now_;
  TimerWheel timers_;
  std::vector<Task> ending_;

  std::mutex mutex_;
  std::vector<Task> posted_;
  bool sleeping_ = false;
  bool stopping_ = false;
  bool has_stopped_ = false;
  std::vector<Task> running_;  // of the thread alone
  std::atomic<std::thread::id> id_{};
  std::thread thread_;
};

}  // namespace pixledger::http
