#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/platform/descriptor.h"

namespace pixledger {

// Ends what takes too long from outside, by shutting its socket down: time-outs on single reads and writes
// let a peer that sends a byte now and then hold a thread for ever. One thread watches all. Thread-safe.
class DeadlineWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  DeadlineWatch();
  ~DeadlineWatch();
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;

  // One piece of work. Used by one thread; the watch outlives it.
  class Watched {
   public:
    Watched(DeadlineWatch& watch, Time deadline);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    // From now on it is this socket that is shut down at the deadline, at once when that has passed. The
    // socket stays the caller's.
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
  // When the thread looks next, whoever has come or gone: what ends long before that does not wake it.
  Time sleeps_until_ = Time::max();
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger
