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
  std::size_t in_work_of_project_max = 4;  // so that no project has all the threads
  std::size_t waiting_of_project_max = 128;
};

// Name servers that do not answer are waited for by one request of a project at a time.
constexpr PoolLimits kLookupPool{.threads = 4, .in_work_of_project_max = 1, .waiting_of_project_max = 16};

// Passwords are hashed by network and by project in turns, one of each at a time: a network that guesses
// delays others by one hash.
constexpr PoolLimits kHashingPool{.threads = 2, .in_work_of_project_max = 1, .waiting_of_project_max = 16};

// A few threads for what may take longer than a loop may be held up. Projects take turns, however many
// requests each of them has waiting. Thread-safe.
class WorkerPool {
 public:
  using Work = std::function<void()>;

  explicit WorkerPool(const PoolLimits& limits = {});
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Work that has not begun, which may be taken back.
  class Place {
   public:
    // False when it has begun, or was taken back before.
    bool leave() { return !is_taken_.exchange(true); }

   private:
    friend class WorkerPool;
    std::atomic<bool> is_taken_{false};
  };

  // Work must not throw. Null when too much of that project waits already. `project`: whose turn it takes, as
  // which another line of whatever shares a turn may stand, such as an address; empty for what is nobody's.
  std::shared_ptr<Place> enter(const std::string& project, Work work);
  // The same for what was let in before and goes on, however much waits.
  void go_on(const std::string& project, Work work);

  std::size_t waiting() const;
  // What waits is dropped, what runs is finished; nothing runs any more from here on.
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
  std::deque<std::string> turns_;  // projects of which something may begin
  std::size_t waiting_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace pixledger::http
