#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

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
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

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

  const int epoll_;
  const int event_;
};

}  // namespace pixledger::http
