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

// What a socket is ready for.
struct SocketReadiness {
  bool readable = false;  // bytes, or the end of the stream
  bool writable = false;
  bool peer_ended = false;  // the peer sends no more, or the connection is broken
};

// Who is told of a socket's readiness.
class PollHandler {
 public:
  virtual ~PollHandler() = default;
  virtual void on_ready(SocketReadiness ready) = 0;
};

// Waits for many sockets at once (epoll). Edge-triggered: a handler is told once when its socket becomes
// ready, and remembers that until a call says that it would block; so what a socket is watched for never
// changes, and a request costs no call for it.
//
// Poco::Net::PollSet of POCO 1.11 would be nearer, but cannot be woken by another thread, does not tell of a
// peer that hangs up (with nothing else to wait for it spins then), and copies a map of sockets at each poll.
//
// For one thread, but for wake().
class Poller {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws std::system_error when the process has no descriptors left.
  Poller();

  // The handler outlives the socket's stay. Throws std::system_error.
  void add(int socket, PollHandler& handler);
  // Of a socket that listens: told again for as long as somebody waits.
  void add_listening(int socket, PollHandler& handler);
  void remove(int socket);

  // Waits until a socket is ready, wake() is called or the time has come; says in `now` what time it is then,
  // and tells the handlers.
  void wait(Clock::time_point until, Clock::time_point& now);
  // From any thread: the current or the next wait returns.
  void wake();

 private:
  void add(int socket, PollHandler* handler, std::uint32_t events);

  const Descriptor epoll_;
  const Descriptor event_;
};

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
