#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/platform/descriptor.h"

namespace pixledger {

// Enforces deadlines by shutting sockets down. Time-outs on single reads and writes are not enough: a slow
// peer could hold a thread for ever. One thread serves all deadlines. Thread-safe.
class DeadlineWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  DeadlineWatch();
  ~DeadlineWatch();
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;

  // One operation with a deadline. Used by one thread; the watch must outlive it.
  class Watched {
   public:
    Watched(DeadlineWatch& watch, Time deadline);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    // Shuts this socket down at the deadline, or now if it has passed. The caller keeps ownership.
    void use_socket(int socket);
    bool expired() const;
    std::chrono::milliseconds left() const;

   private:
    friend class DeadlineWatch;
    void expire();

    DeadlineWatch& watch_;
    const Time deadline_;
    std::multimap<Time, Watched*>::iterator entry_;
    // A duplicate, so that its number cannot become another socket's meanwhile.
    std::optional<Descriptor> socket_;
    bool expired_ = false;
  };

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Time, Watched*> watched_;
  // When the thread wakes next. Operations that end earlier do not wake it.
  Time sleeps_until_ = Time::max();
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger
