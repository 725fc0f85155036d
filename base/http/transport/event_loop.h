#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/http/transport/timer_wheel.h"
#include "base/platform/descriptor.h"

namespace pixledger::http {

// The readiness of a socket.
struct SocketReadiness {
  bool readable = false;  // has bytes, or the end of the stream
  bool writable = false;
  bool peer_ended = false;  // the peer has ended sending, or the connection is broken
};

// Receives a socket's readiness.
class PollHandler {
 public:
  virtual ~PollHandler() = default;
  virtual void on_ready(SocketReadiness ready) = 0;
};

// Waits for many sockets at once (epoll). Edge-triggered: a handler is notified once when its socket becomes
// ready, and must remember that until a call would block. So a socket's registration never changes, and
// requests need no epoll_ctl.
//
// Poco::Net::PollSet of POCO 1.11 is unsuitable: another thread cannot wake it, it does not report a peer's
// hang-up (and then spins), and it copies a map of sockets at each poll.
//
// Not thread-safe except wake().
class Poller {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws std::system_error if no descriptors are left.
  Poller();

  // The handler must stay alive until remove(). Throws std::system_error.
  void add(int socket, PollHandler& handler);
  // For a listening socket: level-triggered, notified while connections are waiting.
  void add_listening(int socket, PollHandler& handler);
  void remove(int socket);

  // Waits until a socket is ready, wake() is called or `until` is reached. Sets `now` and calls the handlers.
  void wait(Clock::time_point until, Clock::time_point& now);
  // Thread-safe: the current or the next wait returns.
  void wake();

 private:
  void add(int socket, PollHandler* handler, std::uint32_t events);

  const Descriptor epoll_;
  const Descriptor event_;
};

// One thread that serves sockets, timers and posted tasks. Nothing that it runs may block.
class EventLoop {
 public:
  using Clock = Poller::Clock;
  using Task = std::function<void()>;

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void start();
  // Runs tasks posted before, then ends the thread. Later tasks are dropped.
  void stop();

  // Thread-safe. Tasks run in posting order, after the loop's current work; an awake loop is woken at most
  // once. Tasks must not throw. Dropped after the loop has stopped.
  void post(Task task);
  bool is_this_thread() const { return id_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

  // Only on the loop's own thread.
  Poller& poller() { return poller_; }
  TimerWheel& timers() { return timers_; }
  Clock::time_point now() const { return now_; }  // when this turn began: when it woke
  // Runs at the end of this turn, for example to destroy an object whose handler is running.
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
  std::vector<Task> running_;  // used only by the loop's thread
  std::atomic<std::thread::id> id_{};
  std::thread thread_;
};

}  // namespace pixledger::http
