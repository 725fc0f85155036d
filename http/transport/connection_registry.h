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

    // Only the connection's own thread calls these. `since`: when what it waits for began.
    void wait(Waiting waiting, Clock::time_point since, std::chrono::milliseconds patience);
    void wait_no_longer();
    bool timed_out() const { return timed_out_.load(std::memory_order_relaxed); }
    bool has_made_room() const { return has_made_room_.load(std::memory_order_relaxed); }

   private:
    friend class ConnectionRegistry;
    void shut_when_late(std::int64_t now_ms);

    ConnectionRegistry& registry_;
    const int socket_;
    std::atomic<std::int64_t> since_ms_{0};
    std::atomic<std::int64_t> deadline_{kNone};  // milliseconds of Clock * kWaitings + what for
    std::atomic<bool> timed_out_{false};
    std::atomic<bool> has_made_room_{false};
    bool is_leaving_ = false;  // guarded by the registry's mutex
  };

  // `tick`: how late a deadline may be noticed. `slow_after`: how long a request may be arriving before its
  // connection can be made to leave.
  ConnectionRegistry(std::chrono::milliseconds tick, std::chrono::milliseconds slow_after);
  ~ConnectionRegistry();
  ConnectionRegistry(const ConnectionRegistry&) = delete;
  ConnectionRegistry& operator=(const ConnectionRegistry&) = delete;

  // Takes over a socket that was answered but whose peer may still send. Closing it now would reset the
  // connection and destroy the answer (RFC 9112 §9.6), so what still comes is dropped until the peer has
  // finished too, or for a moment. Where the registry has shut it for receiving only time tells, because
  // Linux resets a connection that is shut both ways when anything arrives.
  enum class Receiving { kOpen, kShut };
  void linger(const Poco::Net::StreamSocket& socket, Receiving receiving);

  // Makes one connection see the end of its stream, so that it ends: the one that has waited longest for a
  // request to begin, or else the one whose request has been arriving for longest, if that is slow. A request
  // that has just arrived is still answered. False when there is neither, or when kLeavingMax of those that
  // were made to leave have not ended yet.
  bool make_room();
  static constexpr int kLeavingMax = 16;

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
  // Of those that have waited so since before that moment. The mutex is held.
  bool end_longest(Waiting waiting, Clock::time_point before);
  void run(std::chrono::milliseconds tick);
  void shut_all(int how);
  void close_lingering(Clock::time_point now);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_set<Watch*> watches_;
  std::vector<Lingering> lingering_;
  int leaving_ = 0;  // watches that are
  bool stopping_ = false;
  const std::chrono::milliseconds slow_after_;
  std::thread reaper_;
};

}  // namespace pixledger::http
