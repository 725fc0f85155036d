#pragma once

#include <Poco/Net/StreamSocket.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace pixledger::http {

// What a connection's thread is blocked in when its time runs out.
enum class Waiting {
  kForBytes,    // of a request that has begun
  kForRequest,  // that has not begun: the connection is idle
  kToSend
};

// Every open connection with the moment until which it may wait, and one thread that shuts down the sockets
// of those that waited too long. POCO's own timeouts are per system call, so a peer that sends a byte now and
// then would hold a thread for ever.
//
// A socket that was waiting for bytes is shut down for receiving only: its thread sees the end of the stream
// and can still answer. One that was sending is shut down both ways.
class ConnectionRegistry {
 public:
  using Clock = std::chrono::steady_clock;

  // Keeps one connection registered while it lives. It must go before the last reference to its socket does.
  class Watch {
   public:
    Watch(ConnectionRegistry& registry, int socket);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Only the connection's own thread calls these.
    void wait_until(Clock::time_point deadline, Waiting waiting);
    void wait_no_longer();
    bool timed_out() const { return timed_out_.load(std::memory_order_relaxed); }

   private:
    friend class ConnectionRegistry;
    void shut_when_late(std::int64_t now_ms);

    ConnectionRegistry& registry_;
    const int socket_;
    std::atomic<std::int64_t> deadline_{kNone};  // milliseconds of Clock * kWaitings + what for
    std::atomic<bool> timed_out_{false};
    bool closing_idle_ = false;  // guarded by the registry's mutex
  };

  // `tick`: how late a deadline may be noticed.
  explicit ConnectionRegistry(std::chrono::milliseconds tick);
  ~ConnectionRegistry();
  ConnectionRegistry(const ConnectionRegistry&) = delete;
  ConnectionRegistry& operator=(const ConnectionRegistry&) = delete;

  // Takes over a socket that was answered but whose peer may still send. Closing it now would reset the
  // connection and destroy the answer (RFC 9112 §9.6), so what still comes is dropped until the peer has
  // finished too, or for a moment. `shut_for_receiving`: the registry did that; then only time tells, because
  // Linux resets a connection that is shut both ways when anything arrives.
  void linger(const Poco::Net::StreamSocket& socket, bool shut_for_receiving);

  // Makes the connection that has waited longest for a request to begin see the end of its stream, so that it
  // ends. A request that has just arrived is still answered. False when none is waiting so, or when
  // kClosingIdleMax of those that were closed have not ended yet.
  bool close_longest_idle();
  static constexpr int kClosingIdleMax = 16;

  // Every connection sees the end of its stream once it has read what has arrived.
  void stop_receiving();
  void cut_all();
  // Whether no connection is left at `deadline`, or before.
  bool wait_until_empty(Clock::time_point deadline);

 private:
  static constexpr std::int64_t kNone = 0;
  static constexpr std::int64_t kWaitings = 3;

  struct Lingering {
    Poco::Net::StreamSocket socket;
    Clock::time_point until;
    bool shut_for_receiving;
  };

  static Waiting waiting_of(std::int64_t deadline);
  void run(std::chrono::milliseconds tick);
  void shut_all(int how);
  void close_lingering(Clock::time_point now);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_set<Watch*> watches_;
  std::vector<Lingering> lingering_;
  int closing_idle_ = 0;  // watches that are
  bool stopping_ = false;
  std::thread reaper_;
};

}  // namespace pixledger::http
