#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace pixledger::http {

struct PoolLimits {
  std::size_t threads = 8;
  std::size_t in_work_of_project_max = 4;  // so that no project takes all threads
  std::size_t waiting_of_project_max = 128;
};

// A project's requests wait for dead name servers one at a time.
constexpr PoolLimits kLookupPool{.threads = 4, .in_work_of_project_max = 1, .waiting_of_project_max = 16};

// Passwords are hashed by network and by project in turns, one of each at a time. A network that guesses
// delays others by one hash.
constexpr PoolLimits kHashingPool{.threads = 2, .in_work_of_project_max = 1, .waiting_of_project_max = 16};

// A few threads for work that would block a loop too long. Projects take turns, however many requests each
// has waiting. Thread-safe.
class WorkerPool {
 public:
  using Work = std::function<void()>;

  explicit WorkerPool(const PoolLimits& limits = {});
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // A work item that may be cancelled until it begins.
  class Place {
   public:
    // False if it has begun or was cancelled before.
    bool leave() { return !is_taken_.exchange(true); }

   private:
    friend class WorkerPool;
    std::atomic<bool> is_taken_{false};
  };

  // Enqueues work, which must not throw. Null if too much of that project waits. `project` names the queue
  // whose turn it takes. It may name another queue, such as an address, or be empty for work of no project.
  std::shared_ptr<Place> enter(const std::string& project, Work work);
  // As enter(), without the limit: for work that continues an accepted request.
  void go_on(const std::string& project, Work work);

  std::size_t waiting() const;
  // Drops waiting work and finishes running work; afterwards nothing runs.
  void stop();

 private:
  struct Waiting {
    std::shared_ptr<Place> place;
    Work work;
  };
  struct Line {
    std::size_t in_work = 0;
    std::deque<Waiting> waiting;
    bool is_in_turn = false;
  };
  void run();
  std::shared_ptr<Place> enter(const std::string& project, Work work, std::size_t waiting_max);
  void put_in_turn(const std::string& project, Line& line);

  const PoolLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::unordered_map<std::string, Line> lines_;
  std::deque<std::string> turns_;  // projects that may start a work item
  std::size_t waiting_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pixledger::http
